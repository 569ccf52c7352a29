import { describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { Readiness } from '../../src/storage/readiness.js';
import type { CommitProbe } from '../../src/database/commit-probe.js';
import type { LockProbe, TableLock } from '../../src/database/lock-probe.js';
import { CommitWatch } from '../../src/database/commit-watch.js';

const PRIMARY = { inRecovery: false, isReadOnly: false, hasStandby: false, hasProbe: true };

/** A readiness over a server with this state, which counts connections, statements and probes. */
function readinessOver(
  state: Partial<typeof PRIMARY>,
  commits = new CommitWatch(),
  { failure, lock = null }: { failure?: Error; lock?: TableLock | null } = {},
) {
  const counts = { connections: 0, closed: 0, probes: 0 };
  const server = { ...PRIMARY, ...state };
  const answer = { rows: [server] };
  const pool = {
    connect: () => {
      counts.connections += 1;
      if (failure !== undefined) return Promise.reject(failure);
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
    readiness: new Readiness(
      pool as unknown as pg.Pool,
      commits,
      probe as unknown as CommitProbe,
      { find: () => Promise.resolve(lock) } as LockProbe,
    ),
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

  it.each([
    ['53300 too many connections', { code: '53300' }],
    ['57P01 terminated by an administrator', { code: '57P01' }],
    ['57P03 the server starts or stops', { code: '57P03' }],
    ['ECONNREFUSED connection refused', { code: 'ECONNREFUSED' }],
    ['42501 missing right: as the owner of the tables, run docs/deployment/roles.sql', { code: '42501' }],
    ['55P03 lock not released in time', { code: '55P03' }],
    ['no connection in time', { message: 'timeout exceeded when trying to connect' }],
  ])('names the cause of an error: %s, and no text of the server', async (words, members) => {
    const failure = Object.assign(new Error('for role "keeper" at 10.1.2.3'), members);
    const { readiness } = readinessOver({}, new CommitWatch(), { failure });
    expect(await detailOf(readiness)).toBe(`The database is unavailable: ${words}.`);
  });

  it.each<[string, TableLock, string]>([
    [
      'that is known',
      { cause: null, blocker: { table: 'change', pid: 7, user: 'u', state: 'active', ageSeconds: 42 } },
      ' for 42 s, and no write',
    ],
    [
      'whose state is hidden',
      { cause: null, blocker: { table: 'change', pid: 7, user: 'u', state: null, ageSeconds: null } },
      'process 7 of the database, and',
    ],
    [
      'that is a prepared transaction',
      { cause: null, blocker: { table: null, pid: 0, user: null, state: null, ageSeconds: null } },
      'pg_prepared_xacts',
    ],
    [
      'that is not known',
      { cause: null, blocker: null },
      '55P03 a table is locked, and no write was completed meanwhile.',
    ],
  ])('of a locked table names a blocker %s', async (_, lock, words) => {
    const { readiness } = readinessOver({}, new CommitWatch(), { lock });
    expect(await detailOf(readiness)).toContain(words);
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
