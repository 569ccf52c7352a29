import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { OutageLog } from '../../src/logging/outage-log.js';
import { Problem } from '../../src/problem/problem.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
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
      expect(outages.failed(refused, true)).toBe(true);
    }
    // A health check is none of the requests that failed.
    outages.failed(refused, false);
    expect(lines).toEqual([
      ['warn', { reason: 'a database connection was lost: terminating connection' }, expect.stringContaining('fails')],
    ]);
    jest.advanceTimersByTime(1000);
    outages.responded();
    outages.responded();
    jest.advanceTimersByTime(60_000);
    expect(lines.slice(1)).toEqual([
      ['warn', { seconds: 19, failedRequests: 900, lostConnections: 1 }, 'the database serves again'],
    ]);
  });

  it('is one where the database serves some requests between others that fail', () => {
    for (let i = 0; i < 20; i++) {
      outages.failed(refused, true);
      outages.responded();
      jest.advanceTimersByTime(3000);
    }
    expect(lines).toHaveLength(1);
    jest.advanceTimersByTime(6000);
    expect(lines[1]?.[1]).toMatchObject({ seconds: 57, failedRequests: 20 });
  });

  it('of writes lasts until a commit, although reads are answered', () => {
    outages.failed(readOnly, true);
    outages.responded();
    jest.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(1);
    outages.committed();
    jest.advanceTimersByTime(6000);
    expect(lines[1]?.[1]).toMatchObject({ seconds: 60, failedRequests: 1 });
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
    outages.failed(refused, true);
    expect(lines).toEqual([['error', { err: refused }, expect.stringContaining('fails')]]);
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

  it('is a warning while no request has failed, with the reason of the check or of the sweep', () => {
    outages.failed(new Problem('DATABASE_UNAVAILABLE', 'The server is in recovery.'), false);
    expect(lines).toEqual([['warn', { reason: 'The server is in recovery.' }, expect.stringContaining('fails')]]);
  });
});
