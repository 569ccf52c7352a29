import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseProblem, errorOfLaterPart, isCausedByData } from '../../src/problem/database-errors.js';
import { Problem } from '../../src/problem/problem.js';

const refusal = (code: string, message = 'refused') =>
  Object.assign(new pg.DatabaseError(message, 7, 'error'), { code });

const withCode = (code: string) => Object.assign(new Error('refused'), { code });

describe('an error of the database', () => {
  it.each<[string, unknown, string | null]>([
    ['refused credentials', refusal('28P01'), 'DATABASE_UNAVAILABLE'],
    ['too many connections', refusal('53300'), 'DATABASE_UNAVAILABLE'],
    ['a database that accepts no connections', refusal('55000'), 'DATABASE_UNAVAILABLE'],
    ['a connection that fails', refusal('08006'), 'DATABASE_UNAVAILABLE'],
    ['a refused connection', withCode('ECONNREFUSED'), 'DATABASE_UNAVAILABLE'],
    ['a host without an address', withCode('ENOTFOUND'), 'DATABASE_UNAVAILABLE'],
    ['a slow connection', new Error('timeout exceeded when trying to connect'), 'DATABASE_UNAVAILABLE'],
    ['the cause of another error', new Error('x', { cause: refusal('57P01') }), 'DATABASE_UNAVAILABLE'],
    ['a full pool', withCode('POOL_BUSY'), 'OVERLOADED'],
    ['a slow statement', refusal('57014'), 'STATEMENT_TIMEOUT'],
    ['a lock timeout', refusal('55P03'), 'CONFLICT_IN_PROGRESS'],
    ['a deadlock', refusal('40P01', 'deadlock detected'), 'CONFLICT_IN_PROGRESS'],
    ['a defect', new TypeError('x is not a function'), null],
    ['no object', 'timeout exceeded when trying to connect', null],
  ])('becomes a problem: %s', (_, error, code) => {
    expect(databaseProblem(error)?.code ?? null).toBe(code);
  });

  it.each([
    ['a value that is too long', refusal('22001'), true],
    ['a unique index', refusal('23505'), true],
    ['a statement with too many columns', refusal('54011'), true],
    ['a trigger', refusal('P0001'), true],
    ['a value that the driver cannot send', new TypeError('invalid value'), true],
    ['a syntax error', refusal('42601'), false],
    ['a server that shuts down', refusal('57P01'), false],
    ['a decision of the service', new Problem('WRONG_STATE', 'no'), false],
  ])('can be caused by values: %s, %s: %s', (_, error, isExpected) => {
    expect(isCausedByData(error)).toBe(isExpected);
  });

  it.each(['55P03', '57014'])('after a committed part does not claim that nothing was changed: %s', (state) => {
    const [first, later] = [databaseProblem(refusal(state)), errorOfLaterPart(refusal(state)) as Problem];
    expect(first?.detail).toContain('Nothing was changed');
    expect(later.code).toBe(first?.code);
    expect(later.detail).toMatch(/earlier parts have taken effect.*to complete it/);
    expect(later.detail).not.toContain('Nothing was changed');
  });

  it('after a committed part is itself where it claims nothing about changes', () => {
    for (const error of [refusal('57P01'), new Problem('WRONG_STATE', 'no')])
      expect(errorOfLaterPart(error)).toBe(error);
  });
});

describe('an error of a failover', () => {
  it.each([
    ['a server in recovery', refusal('25006')],
    ['a repeat that must wait, on a standby', refusal('XX000', 'cannot assign TransactionIds during recovery')],
    ['a server that shuts down', refusal('57P01')],
    ['a server that crashed', refusal('57P02')],
    ['a server that starts', refusal('57P03')],
    ['a standby that cancels a read', refusal('40001', 'canceling statement due to conflict with recovery')],
    ['a standby that ends a session', refusal('40P01', 'canceling statement due to conflict with recovery')],
    ['a prepared statement of another session', refusal('26000')],
    ['a prepared statement before a migration', refusal('0A000', 'cached plan must not change result type')],
    ['a server without the last migration', refusal('42703', 'column "x" does not exist')],
    ['a server without tables', refusal('42P01', 'relation "identifier" does not exist')],
  ])('is 503 DATABASE_UNAVAILABLE: %s', (_, error) => {
    expect(databaseProblem(error)?.code).toBe('DATABASE_UNAVAILABLE');
  });

  it.each([
    ['0A000', 'cannot use this here'],
    ['42601', 'syntax error'],
    ['22P02', 'invalid input syntax'],
  ])('is none of the errors of a defect: %s', (code, message) => {
    expect(databaseProblem(refusal(code, message))).toBeNull();
  });

  it('is none of the conflicts of transactions on a primary', () => {
    expect(databaseProblem(refusal('40001', 'could not serialize access'))?.code).toBe('CONFLICT_IN_PROGRESS');
  });
});
