import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MintQueue } from '../../src/minting/mint-queue.js';
import type { MintJob, MintOutcome } from '../../src/minting/mint-outcome.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { Problem } from '../../src/problem/problem.js';

interface Others {
  readonly alternates?: readonly { readonly key: string }[];
  readonly localName?: string;
  readonly namingAuthority?: string;
}

/** A mint with a metadata ID of this name, and the Idempotency-Key `key`. */
function job(name: string, key: string | null = null, others: Others = {}, client = 'c'): MintJob {
  const command = {
    ...{ namingAuthority: '100.102', metadata: { key: name, canonical: name }, alternates: [] },
    ...{ guid: null, localName: null, ...others },
  };
  const request = key === null ? null : { key, index: 0, fingerprint: 'fingerprint' };
  return { command, context: { actor: { client, keyId: null }, request } } as unknown as MintJob;
}

/** Lock timeout in milliseconds of a mint that is known to be blocked. */
const LONG = 250;

/** The metadata ID, after its naming authority where that is not the usual one. */
const nameOf = ({ command: { namingAuthority, metadata } }: MintJob): string =>
  `${namingAuthority === '100.102' ? '' : `${namingAuthority} `}${metadata?.key ?? ''}`;

const lockTimeout = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** Lets a millisecond pass. */
async function later(): Promise<void> {
  jest.advanceTimersByTime(1);
  await turn();
}

/** A queue over a fake database with locked names, and the batches that it received. */
function queue(locked: Set<string>, fails: (names: string[]) => Error | null = () => null) {
  const sent: { names: string[]; wait: unknown }[] = [];
  const minted = new Map<string, number>();
  const mintGroup = async (jobs: readonly MintJob[], wait: unknown) => {
    const names = jobs.map(nameOf);
    sent.push({ names, wait });
    await turn();
    const isBlocked = (): boolean => names.some((name) => locked.has(name));
    for (let waited = 0; wait === LONG && isBlocked() && waited < LONG; waited++) await later();
    const error = isBlocked() ? lockTimeout() : fails(names);
    if (error !== null) return jobs.map(() => error);
    for (const name of names) minted.set(name, (minted.get(name) ?? 0) + 1);
    return jobs.map(() => ({ outcome: 'created' }) as MintOutcome);
  };
  return { sent, minted, queue: new MintQueue(mintGroup, new Metrics(), 5000) };
}

const codeOf = (settled: PromiseSettledResult<MintOutcome>) =>
  settled.status === 'fulfilled' ? settled.value.outcome : ((settled.reason as Partial<Problem>).code ?? 'failed');

describe('the queue of mints', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('mints the neighbors of a locked name once each, while that one waits for its lock alone', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
    const locked = new Set(['n7']);
    const { sent, minted, queue: it } = queue(locked);
    const results = names.map((name) => it.mint(job(name)));
    await Promise.all(results.filter((_, i) => i !== 7));
    expect(minted).toEqual(new Map(names.filter((name) => name !== 'n7').map((name) => [name, 1])));
    expect(sent.filter(({ wait }) => wait === LONG).flatMap(({ names: group }) => group)).toContain('n7');
    expect(sent.some(({ names: group, wait }) => wait === LONG && group.join() !== 'n7')).toBe(false);
    locked.clear();
    expect((await results[7])?.outcome).toBe('created');
    expect(minted.get('n7')).toBe(1);
  });

  it('rejects the locked one after 4 s with CONFLICT_IN_PROGRESS, also when it has a key, which nothing waits for', async () => {
    const { queue: it } = queue(new Set(['a', 'b']));
    const since = performance.now();
    const results = await Promise.allSettled([it.mint(job('a', 'k')), it.mint(job('b')), it.mint(job('c'))]);
    expect(results.map(codeOf)).toEqual(['CONFLICT_IN_PROGRESS', 'CONFLICT_IN_PROGRESS', 'created']);
    // The last turn of each begins before 4 s have passed.
    expect(performance.now() - since).toBeGreaterThanOrEqual(4000);
    expect(performance.now() - since).toBeLessThan(4600);
  });

  it('sends no statement for later mints of a blocked name, and returns its result to them', async () => {
    const locked = new Set(['a']);
    const { sent, queue: it } = queue(locked);
    const first = it.mint(job('a'));
    while (sent.at(-1)?.wait !== LONG) await turn();
    const followers = Array.from({ length: 50 }, (_, i) => it.mint(job('a', `k${i}`)));
    expect((await Promise.allSettled([first, ...followers.slice(0, 2)])).map(codeOf)).toEqual([
      'CONFLICT_IN_PROGRESS',
      ...['CONFLICT_IN_PROGRESS', 'CONFLICT_IN_PROGRESS'],
    ]);
    await Promise.allSettled(followers);
    expect(sent.filter(({ wait }) => wait !== LONG).flatMap(({ names }) => names)).toEqual(['a', 'a', 'a']);
  });

  it('blocks mints with any name of the blocked one, and none whose naming authority or client is another', async () => {
    const locked = new Set(['a']);
    const { sent, queue: it } = queue(locked);
    const [alternates, localName, elsewhere] = [[{ key: 'x' }, { key: 'y' }], 'n', { namingAuthority: '100.103' }];
    const first = it.mint(job('a', 'k', { alternates, localName }));
    while (sent.at(-1)?.wait !== LONG) await turn();
    const waiting = [
      it.mint(job('b1', null, { alternates: [{ key: 'x' }] })),
      it.mint(job('b2', null, { alternates: [{ key: 'y' }] })),
      it.mint(job('b3', null, { localName })),
      it.mint(job('b4', 'k')),
    ];
    const minted = [
      it.mint(job('a', null, elsewhere)),
      it.mint(job('c1', null, { ...elsewhere, alternates })),
      it.mint(job('c2', null, { ...elsewhere, localName })),
      it.mint(job('c3', 'k', {}, 'd')),
      it.mint(job('c4', 'other')),
    ];
    const outcomes = (await Promise.allSettled(minted)).map(codeOf);
    const names = sent.flatMap((batch) => batch.names);
    expect([new Set(outcomes), names.filter((name) => name.startsWith('b'))]).toEqual([new Set(['created']), []]);
    locked.clear();
    await Promise.all([first, ...waiting]);
  });

  it('mints later mints of the name when its lock is released', async () => {
    const locked = new Set(['a']);
    const { sent, minted, queue: it } = queue(locked);
    const first = it.mint(job('a'));
    while (sent.at(-1)?.wait !== LONG) await turn();
    const followers = [it.mint(job('a')), it.mint(job('a'))];
    locked.clear();
    expect((await Promise.allSettled([first, ...followers])).map(codeOf)).toEqual(['created', 'created', 'created']);
    expect(minted.get('a')).toBe(3);
  });

  it('sends each mint alone once after an error that one of them may have caused', async () => {
    const fails = (names: string[]) => (names.includes('bad') ? new Error('a check of the table') : null);
    const { sent, queue: it } = queue(new Set(), fails);
    const results = ['first', 'x', 'bad', 'y'].map((name) => it.mint(job(name)));
    expect((await Promise.allSettled(results)).map(codeOf)).toEqual(['created', 'created', 'failed', 'created']);
    expect(sent.filter(({ names }) => names.includes('bad'))).toHaveLength(2);
  });

  it.each([
    ['a rejection', new Problem('OUTCOME_UNKNOWN', 'the answer was lost')],
    ['the absence of the database', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
    ['a statement over its limit', Object.assign(new Error('canceled'), { code: '57014' })],
  ])('does not send mints again after %s', async (_, error) => {
    const { sent, queue: it } = queue(new Set(), () => error);
    await Promise.allSettled(['x', 'y', 'z'].map((name) => it.mint(job(name))));
    expect(sent.flatMap(({ names }) => names).sort()).toEqual(['x', 'y', 'z']);
  });
});
