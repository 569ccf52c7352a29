import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { OutageLog } from '../../src/logging/outage-log.js';
import { Problem } from '../../src/problem/problem.js';

const rejected = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const REJECTED = { cause: 'ECONNREFUSED connection refused', reason: 'connect ECONNREFUSED 127.0.0.1:5432' };
const readOnly = Object.assign(new pg.DatabaseError('cannot execute INSERT', 7, 'error'), { code: '25006' });
const slow = Object.assign(new pg.DatabaseError('canceling statement', 7, 'error'), { code: '57014' });

let lines: [string, Record<string, unknown>, string][];
let outages: OutageLog;

beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  const level = (name: string) => (fields: Record<string, unknown>, message: string) =>
    lines.push([name, fields, message]);
  outages = new OutageLog({ error: level('error'), warn: level('warn') } as never);
});
afterEach(() => {
  jest.useRealTimers();
});

describe('an outage', () => {
  it('has one line at its beginning and one at its end, with its length and what failed', () => {
    outages.connectionLost('a database connection was lost: terminating connection');
    for (let i = 0; i < 900; i++) {
      jest.advanceTimersByTime(20);
      expect(outages.failed(rejected, true)).toBe(true);
    }
    // A health check is none of the requests that failed.
    outages.failed(rejected, false);
    expect(lines).toEqual([
      ['warn', { reason: 'a database connection was lost: terminating connection' }, expect.stringContaining('fails')],
      ['error', REJECTED, 'another failure of the database'],
    ]);
    jest.advanceTimersByTime(1000);
    outages.responded();
    outages.responded();
    jest.advanceTimersByTime(60_000);
    expect(lines.slice(2)).toEqual([
      ['warn', { seconds: 19, failedRequests: 900, lostConnections: 1 }, 'the database serves again'],
    ]);
  });

  it('is one where the database serves some requests between others that fail', () => {
    for (let i = 0; i < 20; i++) {
      outages.failed(rejected, true);
      outages.responded();
      jest.advanceTimersByTime(3000);
    }
    jest.advanceTimersByTime(6000);
    // After a minute, at the level warn because some requests succeed.
    expect(lines[1]).toEqual(['warn', { ...REJECTED, failedRequests: 20 }, 'the database still fails']);
    expect(lines[2]?.[1]).toMatchObject({ seconds: 57, failedRequests: 20 });
  });

  it('of writes lasts until a commit, although reads are answered', () => {
    outages.failed(readOnly, true);
    outages.responded();
    jest.advanceTimersByTime(50_000);
    expect(lines).toHaveLength(1);
    outages.committed();
    jest.advanceTimersByTime(6000);
    expect(lines[1]?.[1]).toMatchObject({ seconds: 50, failedRequests: 1 });
  });

  it('of reads that were answered too late ends with the next statement', () => {
    outages.failed(new Problem('DATABASE_UNAVAILABLE', 'not within 14 s', { isOfRead: true }), true);
    outages.responded();
    jest.advanceTimersByTime(6000);
    expect(lines.map(([, , message]) => message)).toEqual([
      expect.stringContaining('fails'),
      expect.stringContaining('serves again'),
    ]);
  });

  it('begins with the error of its first request, and not with those of other causes', () => {
    for (const error of [new TypeError('a defect'), new Problem('IDENTIFIER_TAKEN', 'taken'), slow]) {
      expect(outages.failed(error, true)).toBe(false);
    }
    expect(lines).toEqual([]);
    outages.failed(rejected, true);
    expect(lines).toEqual([['error', REJECTED, expect.stringContaining('fails')]]);
    // Slow statements are a part of it; a defect still has its own line.
    expect([outages.failed(slow, true), outages.failed(new TypeError('a defect'), true)]).toEqual([true, false]);
  });

  it('ends although a check returns an older result after the commit', () => {
    const check = new Problem('DATABASE_UNAVAILABLE', 'The database has completed no commit.');
    outages.failed(check, false);
    outages.committed();
    outages.failed(check, false);
    jest.advanceTimersByTime(6000);
    expect(lines).toHaveLength(2);
  });

  it('is an error also where a check fails before any request, with the reason of the check and what is only logged', () => {
    const logged = { blocker: { pid: 7, user: 'keeper' } };
    outages.failed(new Problem('DATABASE_UNAVAILABLE', 'The server is in recovery.', { logged }), false);
    const fields = { reason: 'The server is in recovery.', ...logged };
    expect(lines).toEqual([['error', fields, expect.stringContaining('fails')]]);
  });

  it('has a line for each other SQLSTATE, and one a minute with the failed requests, at error while nothing succeeds', () => {
    const states = ['57P01', '57P03', '53300'];
    for (let second = 0; second < 180; second++) {
      const code = states[Math.min(second, 2)]!;
      outages.failed(Object.assign(new pg.DatabaseError('of the server', 7, 'error'), { code }), true);
      jest.advanceTimersByTime(1000);
    }
    const full = { cause: '53300 too many connections', reason: 'of the server' };
    const still = { ...full, failedRequests: 60 };
    expect(lines).toEqual([
      [
        'error',
        { cause: '57P01 terminated by an administrator', reason: 'of the server' },
        expect.stringContaining('fails'),
      ],
      [
        'error',
        { cause: '57P03 the server starts or stops', reason: 'of the server' },
        'another failure of the database',
      ],
      ['error', full, 'another failure of the database'],
      ...[1, 2, 3].map(() => ['error', still, 'the database still fails']),
    ]);
    // Nothing was tried since.
    jest.advanceTimersByTime(120_000);
    expect(lines).toHaveLength(6);
  });

  it('does not end while fresh checks fail, although a probe was committed', () => {
    for (let i = 0; i < 10; i++) {
      outages.failed(new Problem('DATABASE_UNAVAILABLE', 'The table is locked.'), false);
      outages.committed();
      jest.advanceTimersByTime(4000);
    }
    expect(lines).toHaveLength(1);
  });
});
