import { beforeEach, describe, expect, it } from '@jest/globals';
import { LogFollower, type Poll, type PollState } from '../../../src/storage/changes/log-follower.js';
import { type Deferred, FakeClock, deferred, fakeTimers, settled } from './fakes.js';

const CHANGED = { identifiers: [1n], namingAuthorities: [] };

let clock: FakeClock;
let polls: { previous: PollState | null; answer: Deferred<Poll> }[];
let timers: { ms: number; work: () => void }[];
let reported: Poll['changed'][];
let log: LogFollower;

beforeEach(() => {
  clock = new FakeClock();
  [polls, timers, reported] = [[], [], []];
  log = new LogFollower(
    (previous) => {
      const answer = deferred<Poll>();
      polls.push({ previous, answer });
      return answer.promise;
    },
    (changed) => reported.push(changed),
    clock,
  );
  fakeTimers((work, ms) => timers.push({ ms, work }));
});

const stateOf = (snapshot: string, time = 0): PollState => ({ snapshot, next: 1n, origin: '', time, flushed: null });

async function answer(snapshot: string, changed: Poll['changed'] = CHANGED): Promise<void> {
  polls.at(-1)!.answer.resolve({ state: stateOf(snapshot), changed });
  await settled();
}

describe('the polls', () => {
  it('begin with the first use, and each 250 ms after the beginning of the one before', async () => {
    expect(polls).toHaveLength(0);
    log.use(clock.now);
    log.use(clock.now);
    expect(polls.map(({ previous }) => previous)).toEqual([null]);
    clock.now += 40;
    await answer('1');
    expect(timers.map(({ ms }) => ms)).toEqual([210]);
    timers[0]!.work();
    expect(polls.map(({ previous }) => previous?.snapshot)).toEqual([undefined, '1']);
    clock.now += 600;
    await answer('2');
    expect(timers.map(({ ms }) => ms)).toEqual([210, 25]);
  });

  it('continue from the last one that succeeded after others have failed', async () => {
    log.use(clock.now);
    await answer('1');
    for (let n = 0; n < 3; n++) {
      timers.at(-1)!.work();
      polls.at(-1)!.answer.reject(new Error('no connection'));
      await settled();
    }
    timers.at(-1)!.work();
    expect(polls.at(-1)!.previous?.snapshot).toBe('1');
    expect(reported).toEqual([CHANGED]);
  });

  it('end after 10 seconds without a use, which is reported as any change, and begin again without a state', async () => {
    log.use(clock.now);
    await answer('1');
    clock.now += 10_000;
    timers.at(-1)!.work();
    await answer('2');
    expect(timers).toHaveLength(1);
    expect(reported).toEqual([CHANGED, CHANGED, null]);
    expect({ isFresh: log.isFresh(), age: log.ageMs }).toEqual({ isFresh: false, age: NaN });
    log.use(clock.now);
    expect(polls.at(-1)!.previous).toBeNull();
  });

  it('have no effect after the end of the service', async () => {
    log.use(clock.now);
    await answer('1');
    timers.at(-1)!.work();
    log.close();
    await answer('2');
    log.use(clock.now);
    await settled();
    expect({ polls: polls.length, isFresh: log.isFresh(), reported }).toEqual({
      polls: 2,
      isFresh: false,
      reported: [CHANGED, null],
    });
  });
});

describe('what was polled', () => {
  it('is fresh for less than 800 ms from the beginning of the poll', async () => {
    log.use(clock.now);
    clock.now += 500;
    await answer('1');
    clock.now += 299;
    expect(log.isFresh()).toBe(true);
    clock.now += 1;
    expect(log.isFresh()).toBe(false);
  });

  it('is not fresh after a suspension that only the wall clock has measured', async () => {
    log.use(clock.now);
    await answer('1');
    clock.offset += 3_600_000;
    expect(log.isFresh()).toBe(false);
  });

  it('is not made fresh by a wall clock that was put back', async () => {
    log.use(clock.now);
    await answer('1');
    clock.offset -= 3_600_000;
    expect(log.isFresh()).toBe(true);
    clock.now += 800;
    expect(log.isFresh()).toBe(false);
  });

  it('includes the clock of the database, which is never estimated too early', async () => {
    expect(log.databaseTime()).toBe(Infinity);
    log.use(clock.now);
    clock.now += 100;
    polls[0]!.answer.resolve({ state: stateOf('1', 5000), changed: null });
    await settled();
    clock.now += 50;
    expect(log.databaseTime()).toBe(5150);
  });
});
