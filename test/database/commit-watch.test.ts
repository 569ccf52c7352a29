import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { CommitWatch } from '../../src/database/commit-watch.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A write whose outcome the test decides. */
function write(commits: CommitWatch, isProbe = false) {
  let settle = { commit: () => {}, fail: (_: Error) => {} };
  const sent = new Promise<void>((commit, fail) => (settle = { commit, fail }));
  const watched = commits.watch(() => sent, isProbe);
  return {
    commit: async () => {
      settle.commit();
      await watched;
    },
    fail: async (error: Error) => {
      settle.fail(error);
      await watched.catch(() => null);
    },
  };
}

const rejection = (code: string) => Object.assign(new pg.DatabaseError('rejected', 7, 'error'), { code });

describe('commits stand', () => {
  it('when a write has waited for five seconds and none was completed in this time', async () => {
    const commits = new CommitWatch();
    expect(commits.isStanding).toBe(false);
    const first = write(commits);
    jest.advanceTimersByTime(4900);
    expect(commits.isStanding).toBe(false);
    expect(commits.oldestWaitingSeconds).toBeCloseTo(4.9);
    const second = write(commits);
    await second.commit();
    jest.advanceTimersByTime(4900);
    // The first one has waited for 9.8 seconds, and another one was completed in between.
    expect(commits.isStanding).toBe(false);
    jest.advanceTimersByTime(200);
    expect(commits.isStanding).toBe(true);
    await first.commit();
    expect(commits.isStanding).toBe(false);
    expect(commits.oldestWaitingSeconds).toBe(0);
  });

  it('until one is completed, also after the connections of those that waited were given up', async () => {
    const commits = new CommitWatch();
    const waiting = write(commits);
    jest.advanceTimersByTime(6000);
    expect(commits.isStanding).toBe(true);
    await waiting.fail(new Error('Query read timeout'));
    jest.advanceTimersByTime(60_000);
    expect([commits.isStanding, commits.isDoubtful]).toEqual([true, true]);
    await write(commits, true).commit();
    expect([commits.isStanding, commits.isDoubtful]).toEqual([false, false]);
  });

  it('while the probe waits, although statements that write nothing are completed', async () => {
    const commits = new CommitWatch();
    const probe = write(commits, true);
    for (let i = 0; i < 6; i++) {
      jest.advanceTimersByTime(1000);
      await write(commits).commit();
    }
    expect(commits.isStanding).toBe(true);
    await write(commits).commit();
    expect(commits.isStanding).toBe(true);
    await probe.commit();
    expect(commits.isStanding).toBe(false);
  });
});

describe('a write that fails', () => {
  it.each([
    ['a lost connection', new Error('Connection terminated unexpectedly'), true],
    ['a network error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }), true],
    ['a read-only server', rejection('25006'), true],
    ['a server that shuts down', rejection('57P01'), true],
    ['a unique index', rejection('23505'), false],
    ['a lock timeout', rejection('55P03'), false],
    ['a full disk, on which a probe would write', rejection('53100'), false],
  ])('because of %s', async (_, error, isDoubtful) => {
    const commits = new CommitWatch();
    await write(commits).fail(error);
    expect(commits.isDoubtful).toBe(isDoubtful);
  });
});

describe('the age of the last commit', () => {
  it('is unknown before the first one', async () => {
    const commits = new CommitWatch();
    await write(commits).fail(rejection('23505'));
    expect(commits.lastCommitAgeSeconds).toBeNaN();
    await write(commits).commit();
    jest.advanceTimersByTime(3000);
    expect(commits.lastCommitAgeSeconds).toBeCloseTo(3);
  });
});
