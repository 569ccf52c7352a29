import { describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { Readiness } from '../../../src/api/health/readiness.js';
import type { CommitProbe } from '../../../src/database/commit-probe.js';
import { CommitWatch } from '../../../src/database/commit-watch.js';

const PRIMARY = { inRecovery: false, isReadOnly: false, hasStandby: false, hasProbe: true };

/** A readiness over a server with this state, which counts connections, statements and probes. */
function readinessOver(state: Partial<typeof PRIMARY>, commits = new CommitWatch()) {
  const counts = { connections: 0, closed: 0, probes: 0 };
  const server = { ...PRIMARY, ...state };
  const answer = { rows: [server] };
  const pool = {
    connect: () => {
      counts.connections += 1;
      const release = (isBroken: boolean) => (counts.closed += isBroken ? 1 : 0);
      return Promise.resolve({ query: () => Promise.resolve(answer), release });
    },
    // No table of migrations.
    query: () => Promise.resolve({ rows: [] }),
  };
  const probe = { waitingSession: null, send: () => (counts.probes += 1), abandon: () => {} };
  return {
    counts,
    server,
    readiness: new Readiness(pool as unknown as pg.Pool, commits, probe as unknown as CommitProbe),
  };
}

const detailOf = (readiness: Readiness) =>
  readiness.require().then(
    () => null,
    (error: unknown) => (error as { detail: string }).detail,
  );

describe('a check', () => {
  it('reads the state of the server once for a thousand requests at once, and for those of the same second', async () => {
    const { readiness, counts } = readinessOver({});
    const checks = Array.from({ length: 1000 }, () => detailOf(readiness));
    expect(new Set(await Promise.all(checks)).size).toBe(1);
    await detailOf(readiness);
    expect(counts).toEqual({ connections: 1, closed: 0, probes: 0 });
  });

  it('sends a probe where a synchronous standby is configured, and after a write that failed', async () => {
    const standby = readinessOver({ hasStandby: true });
    await detailOf(standby.readiness);
    expect(standby.counts.probes).toBe(1);
    const commits = new CommitWatch();
    await expect(commits.watch(() => Promise.reject(new Error('Query read timeout')))).rejects.toThrow();
    const doubtful = readinessOver({}, commits);
    await detailOf(doubtful.readiness);
    expect(doubtful.counts.probes).toBe(1);
  });

  it.each([
    ['in recovery', { inRecovery: true, isReadOnly: true, hasStandby: true }, /in recovery/],
    ['read-only', { isReadOnly: true, hasStandby: true }, /read-only/],
  ])('of a server that is %s says so, sends no write and keeps no session of it', async (_, state, words) => {
    const { readiness, counts } = readinessOver(state);
    expect(await detailOf(readiness)).toMatch(words);
    expect(counts).toEqual({ connections: 1, closed: 1, probes: 0 });
  });

  it('names the migrations that the database lacks', async () => {
    expect(await detailOf(readinessOver({}).readiness)).toMatch(/missing the migrations 2\d+/);
  });
});

describe('the gauge of readiness', () => {
  it('has the last result, and begins a check where none has ended in the last 10 seconds', async () => {
    const { readiness, counts, server } = readinessOver({ isReadOnly: true });
    expect(await readiness.gauge()).toBe(0);
    await readiness.gauge();
    await readiness.gauge();
    expect(counts.connections).toBe(1);
    server.isReadOnly = false;
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 9000);
    expect([await readiness.gauge(), counts.connections]).toEqual([0, 1]);
    now.mockReturnValue(performance.now() + 1001);
    await readiness.gauge();
    now.mockRestore();
    expect(counts.connections).toBe(2);
  });

  it('does not wait for a server that does not respond, and is unknown before the first result', async () => {
    const { readiness } = readinessOver({});
    jest.spyOn(readiness, 'require').mockReturnValue(new Promise(() => {}));
    const since = performance.now();
    expect(await readiness.gauge()).toBeNaN();
    expect(performance.now() - since).toBeLessThan(2000);
  });
});
