import { describe, expect, it } from '@jest/globals';
import { MintingService } from '../../src/minting/minting.service.js';
import type { Candidate, MintJob } from '../../src/minting/mint-outcome.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { Problem } from '../../src/problem/problem.js';
import { requestInFlight } from '../../src/problem/storage-problems.js';
import { parseMintRequest } from '../../src/registry/mint-command.js';
import type { NewIdentifier } from '../../src/registry/new-identifier.js';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import { KNOWN, recordWith } from '../records.js';

const NA = '100.102';
const job = (fields: object = {}): MintJob => ({
  command: parseMintRequest({ namingAuthority: NA, ...fields }, KNOWN),
  context: { actor: { client: 'test', keyId: null }, request: null },
  ...{ known: KNOWN, reader: OPEN_ACCESS },
});

/** Mints items while another request holds each alternate at the insert, and has none when the conflict is searched. */
async function mintContested(jobs: readonly MintJob[]) {
  const insert = (items: readonly NewIdentifier[]) =>
    Promise.resolve(
      items.map(() =>
        items.some(({ alternates }) => alternates.length > 0) ? null : { record: recordWith(), metadataRecord: null },
      ),
    );
  const service = new MintingService(
    { insert } as never,
    { explain: (undecided: Candidate[]) => Promise.resolve({ decided: [], undecided }) } as never,
    { replace: (rejected: unknown) => Promise.resolve(rejected) } as never,
    { refresh: () => Promise.resolve(KNOWN) } as never,
    { next: () => 'f58fb49e-b1f8-48f0-a606-e84cef294be5' },
    {} as never,
    new Metrics(),
    { find: () => Promise.resolve(new Map()) } as never,
    {} as never,
  );
  const { results, failure } = await service.mintAll(jobs);
  return [
    failure,
    ...jobs.map((each) => {
      const result = results.get(each);
      return result instanceof Problem ? [result.code, result.extensions.headers] : result?.outcome;
    }),
  ];
}

describe('mints whose values are held by others at every attempt', () => {
  const contested = (name: string) => job({ alternateIds: [`demo:${name}`] });

  it('end with "in progress", and leave the items without values of their own to the next statement', async () => {
    const inProgress = ['CONFLICT_IN_PROGRESS', { 'retry-after': '1' }];
    await expect(mintContested([job(), contested('1'), contested('2'), job()])).resolves.toEqual([
      ...[null, 'created', inProgress, inProgress, 'created'],
    ]);
  });
});

describe('mints that name each other as previous versions', () => {
  const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
  const keyed = (index: number, fields: object): MintJob => ({
    ...job(fields),
    context: { actor: { client: 'test', keyId: null }, request: { key: 'k', index, fingerprint: 'f' } },
  });
  const jobs = [keyed(2, { guid: GUID }), keyed(4, { previousVersion: `${NA}/${GUID}` })];

  /** A service in which another request with the same key is writing. */
  function serviceInRepeat() {
    const reads: number[] = [];
    const explain = (candidates: readonly Candidate[]) => ({
      decided: candidates.map((each) => ({ job: each.job, result: requestInFlight() })),
      undecided: [],
    });
    const service = new MintingService(
      { insert: (items: readonly NewIdentifier[]) => Promise.resolve(items.map(() => null)) } as never,
      { explain: (candidates: readonly Candidate[]) => Promise.resolve(explain(candidates)) } as never,
      { find: () => Promise.resolve(new Map()) } as never,
      { refresh: () => Promise.resolve(KNOWN) } as never,
      { next: () => 'f58fb49e-b1f8-48f0-a606-e84cef294be5' },
      {} as never,
      new Metrics(),
      { find: (some: readonly MintJob[]) => (reads.push(some.length), Promise.resolve(new Map())) } as never,
      { maxWaitMs: 1000 } as never,
    );
    return { service, reads };
  }
  const codes = (results: Iterable<unknown>) => [...results].map((each) => each instanceof Problem && each.code);

  it('wait for the first request with their key, which may register the previous version', async () => {
    const { results } = await serviceInRepeat().service.mintAll(jobs);
    expect(codes(jobs.map((each) => results.get(each)))).toEqual(['REQUEST_IN_FLIGHT', 'REQUEST_IN_FLIGHT']);
  });

  it('are read once, and have no order, if they are requests of their own', async () => {
    const { service, reads } = serviceInRepeat();
    const alone = { ...jobs[1]!, context: { actor: jobs[1]!.context.actor, request: null } };
    await expect(service.mintOne(alone)).rejects.toMatchObject({ code: 'INVALID_PREDECESSOR' });
    expect(reads).toEqual([1]);
  });
});
