import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseProblem } from '../../src/problem/database-errors.js';

const refusal = (code: string, message = 'refused') =>
  Object.assign(new pg.DatabaseError(message, 7, 'error'), { code });

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
