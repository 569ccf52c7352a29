import { describe, expect, it } from '@jest/globals';
import type { IdentifierRecord } from '../../../src/registry/identifier-record.js';
import { LogFollower, type Poll, type PollState } from '../../../src/storage/changes/log-follower.js';
import { RecordCache } from '../../../src/storage/identifiers/cache/record-cache.js';
import { recordWith } from '../../records.js';
import { type Deferred, FakeClock, addressOf, deferred, fakeTimers, settled } from './fakes.js';

// A registry with one identifier, whose version a change increments, or one name, which is minted. A read and a poll have three steps each: they begin,
// they see the database, and their result arrives. The tests run every order of the steps of two requests, a poll and a
// change, and compare each response with what it had to contain.

const ADDRESS = addressOf('7');
const MAX_AGE_MS = 1000;

class Model {
  readonly clock = new FakeClock();
  /** The times of the commits; the version is their number. */
  readonly commits: number[] = [-Infinity];
  readonly reads: { answer: Deferred<IdentifierRecord | null>; seen: number | null; isOver: boolean }[] = [];
  readonly log: LogFollower;
  readonly cache: RecordCache;
  private polling: { answer: Deferred<Poll>; previous: PollState | null; seen: number | null } | null = null;
  private timer: (() => void) | null = null;
  /** The version that the last poll whose result has arrived could see. */
  polled = 0;
  acknowledged = 0;
  readonly faults: string[] = [];
  answered = 0;

  /** @param isMint whether the change is the mint of the name, which no poll reports. */
  constructor(private readonly isMint = false) {
    this.log = new LogFollower(
      (previous) => {
        this.polling = { answer: deferred<Poll>(), previous, seen: null };
        return this.polling.answer.promise;
      },
      (changed) => {
        this.cache.changed(changed);
      },
      this.clock,
    );
    fakeTimers((work) => {
      this.timer = work;
    });
    const find = () => {
      const answer = deferred<IdentifierRecord | null>();
      this.reads.push({ answer, seen: null, isOver: false });
      return answer.promise;
    };
    this.cache = new RecordCache({ find, depth: 0, hasReplica: false }, this.log, this.clock, {
      entries: 100,
      bytes: 1_000_000,
    });
  }

  get version(): number {
    return this.commits.length;
  }

  commit(): void {
    this.commits.push(this.clock.now);
  }

  acknowledge(): void {
    this.acknowledged = this.version;
    if (this.isMint) this.cache.forget({ identifiers: [], namingAuthorities: [], minted: [ADDRESS] });
    else this.cache.forget({ identifiers: [7n], namingAuthorities: [], minted: [] });
  }

  beginPoll(): void {
    const work = this.timer;
    this.timer = null;
    work?.();
  }

  seePoll(): void {
    if (this.polling !== null) this.polling.seen ??= this.version;
  }

  deliverPoll(): void {
    const { polling } = this;
    const seen = polling?.seen ?? null;
    if (polling === null || seen === null) return;
    this.polling = null;
    if (!this.isMint) this.polled = seen;
    const before = polling.previous === null ? null : Number(polling.previous.snapshot);
    const identifiers = !this.isMint && before !== null && before < seen ? [7n] : [];
    const state = { snapshot: String(seen), next: 1n, origin: '', time: this.clock.wall(), flushed: null };
    polling.answer.resolve({ state, changed: before === null ? null : { identifiers, namingAuthorities: [] } });
  }

  seeRead(index: number): void {
    const read = this.reads[index];
    if (read !== undefined) read.seen ??= this.version;
  }

  deliverRead(index: number): void {
    const read = this.reads[index];
    if (read === undefined || read.seen === null || read.isOver) return;
    read.isOver = true;
    read.answer.resolve(this.isMint && read.seen === 1 ? null : recordWith({ version: read.seen }));
  }

  /** Sends a request, and compares its response with the versions that it may have. */
  request(name: string): void {
    const { now } = this.clock;
    const byAge = this.commits.filter((at) => at <= now - MAX_AGE_MS).length;
    const least = Math.max(byAge, this.polled, this.acknowledged);
    void this.cache.find(ADDRESS).then((record) => {
      this.answered += 1;
      const version = record?.version ?? 1;
      if (version < least) this.faults.push(`${name} got version ${version}, not ${least}`);
    });
  }

  async finish(): Promise<void> {
    do {
      for (const index of this.reads.keys()) {
        this.seeRead(index);
        this.deliverRead(index);
      }
      this.seePoll();
      this.deliverPoll();
      await settled();
    } while (this.polling !== null || this.reads.some(({ isOver }) => !isOver));
  }
}

type Step = (model: Model) => void;

/** Every order of the steps of several sequences that keeps the order within each. */
function* orders(sequences: readonly (readonly Step[])[]): Generator<Step[]> {
  if (sequences.every((sequence) => sequence.length === 0)) yield [];
  for (const [index, [first, ...rest]] of sequences.entries()) {
    if (first === undefined) continue;
    const others = sequences.map((sequence, other) => (other === index ? rest : sequence));
    for (const order of orders(others)) yield [first, ...order];
  }
}

const POLL: Step[] = [
  (m) => {
    m.beginPoll();
  },
  (m) => {
    m.seePoll();
  },
  (m) => {
    m.deliverPoll();
  },
];
const READ: Step[] = [
  (m) => {
    m.request('the first request');
  },
  (m) => {
    m.seeRead(0);
  },
  (m) => {
    m.deliverRead(0);
  },
];
const SECOND: Step[] = [
  (m) => {
    m.request('the second request');
  },
];
const SECOND_READ: Step[] = [
  ...SECOND,
  (m) => {
    m.seeRead(1);
  },
  (m) => {
    m.deliverRead(1);
  },
];
const OTHER_CHANGE: Step[] = [
  (m) => {
    m.commit();
  },
];
const OWN_CHANGE: Step[] = [
  (m) => {
    m.commit();
  },
  (m) => {
    m.acknowledge();
  },
];

/** The state before the steps. */
const STARTS: [string, (model: Model) => Promise<void>][] = [
  ['before the first poll', () => Promise.resolve()],
  [
    'after a poll',
    async (m) => {
      m.log.use(m.clock.now);
      await m.finish();
    },
  ],
  [
    'with an entry',
    async (m) => {
      m.log.use(m.clock.now);
      await m.finish();
      m.request('the filling request');
      await m.finish();
      m.reads.length = 0;
    },
  ],
];

/** @returns the numbers of orders and of hits. */
async function runAll(
  sequences: readonly Step[][],
  start: (model: Model) => Promise<void>,
  stepMs: number,
  isMint: boolean,
): Promise<{ count: number; hits: number }> {
  let count = 0;
  let hits = 0;
  const failures: object[] = [];
  for (const steps of orders(sequences)) {
    const model = new Model(isMint);
    await start(model);
    const before = model.answered;
    for (const step of steps) {
      model.clock.now += stepMs;
      step(model);
      await settled();
    }
    await model.finish();
    // What is stored now is read by a last request, before and after another poll.
    model.request('the last request');
    await model.finish();
    model.beginPoll();
    await model.finish();
    if (!isMint) model.polled = model.version;
    model.request('the request after the last poll');
    await model.finish();
    count += 1;
    hits += model.cache.hits;
    const { faults, answered } = model;
    if (faults.length > 0 || answered - before !== 4) failures.push({ faults, answered: answered - before });
  }
  // One assertion for all orders: one for each takes half of the time of the test.
  expect(failures).toEqual([]);
  return { count, hits };
}

describe.each(STARTS)('every order of the steps of requests, polls and a change, %s', (_, start) => {
  it.each([
    ['a change of another process', OTHER_CHANGE, 20, false, 1120],
    ['a change of another process, slowly', OTHER_CHANGE, 450, false, 1120],
    ['a change of this process', OWN_CHANGE, 20, false, 5040],
    ['a change of this process, slowly', OWN_CHANGE, 450, false, 5040],
    ['a mint of another process', OTHER_CHANGE, 20, true, 1120],
    ['a mint of another process, slowly', OTHER_CHANGE, 450, true, 1120],
  ])('returns nothing that %s replaced earlier than permitted', async (_name, change, stepMs, isMint, orderCount) => {
    const { count, hits } = await runAll([READ, change, POLL, SECOND], start, stepMs, isMint);
    expect(count).toBe(orderCount);
    expect(hits).toBeGreaterThan(0);
  });

  it.each([
    ['a change of this process', 20, false],
    ['a change of this process, slowly', 450, false],
    ['a mint of this process', 20, true],
    ['a mint of this process, slowly', 450, true],
  ])('with two reads, returns nothing that %s replaced', async (_name, stepMs, isMint) => {
    expect((await runAll([READ, OWN_CHANGE, SECOND_READ], start, stepMs, isMint)).count).toBe(560);
  });
});
