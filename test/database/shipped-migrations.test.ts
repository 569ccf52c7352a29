import { describe, expect, it } from '@jest/globals';
import { checksumOf, shippedMigrations } from '../../src/database/shipped-migrations.js';

describe('the checksum of a migration', () => {
  it('is SHA-256 in hexadecimal digits: the first example of FIPS 180-2', () => {
    expect(checksumOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

/** The statements without comments, and without the bodies of functions. */
const statementsOf = (sql: string): string[] =>
  sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .split(';')
    .map((statement) => statement.trim());

describe('the migrations', () => {
  it('are applied in the order of their names', async () => {
    const names = (await shippedMigrations()).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
  });

  it('have no statement that ends the transaction, cannot run in one, or outlasts it', async () => {
    const rejected =
      /^(BEGIN|START|COMMIT|END|ROLLBACK|ABORT|PREPARE|VACUUM|SET (?!LOCAL)|ALTER SYSTEM)\b|\bCONCURRENTLY\b/i;
    for (const { name, sql } of await shippedMigrations()) {
      expect([name, statementsOf(sql).filter((statement) => rejected.test(statement))]).toEqual([name, []]);
    }
    expect(statementsOf('-- BEGIN\nSELECT 1;\n\nCOMMIT;').filter((statement) => rejected.test(statement))).toEqual([
      'COMMIT',
    ]);
  });
});
