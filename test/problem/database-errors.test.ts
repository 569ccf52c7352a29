import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  databaseProblem,
  errorOfLaterPart,
  isCausedByData,
  isConnectionLost,
} from '../../src/problem/database-errors.js';
import { Problem } from '../../src/problem/problem.js';

const rejection = (code: string, message = 'rejected', severity = 'ERROR') =>
  Object.assign(new pg.DatabaseError(message, 7, 'error'), { code, severity });

const withCode = (code: string) => Object.assign(new Error('rejected'), { code });

describe('an error of the database', () => {
  it.each<[string, unknown, string | null]>([
    ['rejected credentials', rejection('28P01'), 'DATABASE_UNAVAILABLE'],
    ['too many connections', rejection('53300'), 'DATABASE_UNAVAILABLE'],
    ['a database that accepts no connections', rejection('55000'), 'DATABASE_UNAVAILABLE'],
    ['a connection that fails', rejection('08006'), 'DATABASE_UNAVAILABLE'],
    ['a rejected connection', withCode('ECONNREFUSED'), 'DATABASE_UNAVAILABLE'],
    ['a host without an address', withCode('ENOTFOUND'), 'DATABASE_UNAVAILABLE'],
    ['a slow connection', new Error('timeout exceeded when trying to connect'), 'DATABASE_UNAVAILABLE'],
    ['the cause of another error', new Error('x', { cause: rejection('57P01') }), 'DATABASE_UNAVAILABLE'],
    ['a session that did not start', rejection('XX000', 'could not write init file', 'FATAL'), 'DATABASE_UNAVAILABLE'],
    ['a server that crashes', rejection('XX000', 'could not write', 'PANIC'), 'DATABASE_UNAVAILABLE'],
    ['a disk that fails', rejection('58030', 'could not read block'), 'DATABASE_UNAVAILABLE'],
    ['a missing right', rejection('42501', 'permission denied for table change'), 'DATABASE_UNAVAILABLE'],
    ['a defect of the server', rejection('XX000', 'cache lookup failed'), null],
    ['a full pool', withCode('POOL_BUSY'), 'OVERLOADED'],
    ['a slow statement', rejection('57014'), 'STATEMENT_TIMEOUT'],
    ['a lock timeout', rejection('55P03'), 'CONFLICT_IN_PROGRESS'],
    ['a deadlock', rejection('40P01', 'deadlock detected'), 'CONFLICT_IN_PROGRESS'],
    ['a defect', new TypeError('x is not a function'), null],
    ['no object', 'timeout exceeded when trying to connect', null],
  ])('becomes a problem: %s', (_, error, code) => {
    expect(databaseProblem(error)?.code ?? null).toBe(code);
  });

  it.each([
    ['was lost', rejection('57P01', 'terminating connection', 'FATAL'), 'unknown'],
    ['crashed in the statement', rejection('53100', 'could not write', 'PANIC'), 'unknown'],
    ['was reset', withCode('ECONNRESET'), 'unknown'],
    ['rejected a statement, as its disk is full', rejection('53100'), 'nothing'],
    ['rejected a statement, as it is read-only', rejection('25006'), 'nothing'],
    ['rejected the session', rejection('53300', 'too many clients', 'FATAL'), 'nothing'],
    ['was not reached', withCode('ECONNREFUSED'), 'nothing'],
  ])('says what is known about the outcome where the server %s', (_, error, outcome) => {
    const { detail } = databaseProblem(error)!;
    expect([detail.includes('outcome of this request is unknown'), detail.includes('changed nothing')]).toEqual([
      outcome === 'unknown',
      outcome === 'nothing',
    ]);
    expect(databaseProblem(error, true)?.detail).toBe('The database is unavailable. Retry after Retry-After.');
  });

  it('names the script that grants a missing right, to reads too', () => {
    for (const isOfRead of [false, true])
      expect(databaseProblem(rejection('42501'), isOfRead)?.detail).toContain('run docs/deployment/roles.sql');
  });

  it('that ends the session leaves the outcome of a commit unknown', () => {
    const severities = ['ERROR', 'FATAL', 'PANIC'];
    const lost = severities.map((severity) => isConnectionLost(rejection('53100', 'could not write', severity)));
    expect(lost).toEqual([false, true, true]);
  });

  it.each([
    ['a value that is too long', rejection('22001'), true],
    ['a unique index', rejection('23505'), true],
    ['a statement with too many columns', rejection('54011'), true],
    ['a trigger', rejection('P0001'), true],
    ['a value that the driver cannot send', new TypeError('invalid value'), true],
    ['a syntax error', rejection('42601'), false],
    ['a server that shuts down', rejection('57P01'), false],
    ['a decision of the service', new Problem('WRONG_STATE', 'no'), false],
  ])('can be caused by values: %s, %s: %s', (_, error, isExpected) => {
    expect(isCausedByData(error)).toBe(isExpected);
  });

  it.each(['55P03', '57014'])('after a committed part does not claim that nothing was changed: %s', (state) => {
    const [first, later] = [databaseProblem(rejection(state)), errorOfLaterPart(rejection(state)) as Problem];
    expect(first?.detail).toContain('Nothing was changed');
    expect(later.code).toBe(first?.code);
    expect(later.detail).toMatch(/earlier parts have taken effect.*to complete it/);
    expect(later.detail).not.toContain('Nothing was changed');
  });

  it('after a committed part is itself where it claims nothing about changes', () => {
    for (const error of [rejection('57P01'), new Problem('WRONG_STATE', 'no')])
      expect(errorOfLaterPart(error)).toBe(error);
  });
});

describe('an error of a failover', () => {
  it.each([
    ['a server in recovery', rejection('25006')],
    ['a repeat that must wait, on a standby', rejection('XX000', 'cannot assign TransactionIds during recovery')],
    ['a server that shuts down', rejection('57P01')],
    ['a server that crashed', rejection('57P02')],
    ['a server that starts', rejection('57P03')],
    ['a standby that cancels a read', rejection('40001', 'canceling statement due to conflict with recovery')],
    ['a standby that ends a session', rejection('40P01', 'canceling statement due to conflict with recovery')],
    ['a prepared statement of another session', rejection('26000')],
    ['a prepared statement before a migration', rejection('0A000', 'cached plan must not change result type')],
    ['a server without the last migration', rejection('42703', 'column "x" does not exist')],
    ['a server without tables', rejection('42P01', 'relation "identifier" does not exist')],
  ])('is 503 DATABASE_UNAVAILABLE: %s', (_, error) => {
    expect(databaseProblem(error)?.code).toBe('DATABASE_UNAVAILABLE');
  });

  it.each([
    ['0A000', 'cannot use this here'],
    ['42601', 'syntax error'],
    ['22P02', 'invalid input syntax'],
  ])('is none of the errors of a defect: %s', (code, message) => {
    expect(databaseProblem(rejection(code, message))).toBeNull();
  });

  it('is none of the conflicts of transactions on a primary', () => {
    expect(databaseProblem(rejection('40001', 'could not serialize access'))?.code).toBe('CONFLICT_IN_PROGRESS');
  });
});
