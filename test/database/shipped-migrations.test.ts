import { describe, expect, it } from '@jest/globals';
import { checksumOf, shippedMigrations } from '../../src/database/shipped-migrations.js';

/** As Prisma recorded them in the databases of earlier versions. */
const RELEASED = {
  '20261120000000_identifiers': '721a1726d8de91fdc3926e363009a71dc92a38143431fb0eb77b1b5432eac011',
  '20261121000000_registry': '5e95e826d6b226278ba9ef35b0263b64b900bcea6fbf387498459c2af949e772',
  '20261121010000_reservations': '43eef689381b7cce7bc080d0d284a1190923c5bafdf52d3f2930a8460047d103',
  '20261121020000_api_keys': '68a4f3a793089590f454a7649c685c4daa6527d39833e8cc2b8ac76fb5e44fcd',
  '20261121020000_inactive_counts': '6370dbdc225189fe23be8170c24da5a31e8d085b83e5f8d7aa50185629547e7d',
  '20261122000000_request_parts': 'cbe4a1d0f9d81a17a44ed91ad5c75449f24aded27462eb285ce5fe357c5279ef',
  '20261122010000_access': '154fe7a1d4c81f634001d5f88ee21c34c6383be323bdf6a1275bb7adf501b99f',
  '20261122030000_request_key_statistics': 'b32ece88033fde67b2de1708ed36c58f1e7a4a93f3f937ecacd46e8646221cf6',
  '20261122040000_insert_vacuum': '33eb7da625ca5fa6525c21a1002cacc978d03d59f260a76b3f8bdfb5437e16d5',
};

describe('the checksum of a migration', () => {
  it('is SHA-256 in hexadecimal digits: the first example of FIPS 180-2', () => {
    expect(checksumOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is still the one that was recorded, for every released migration', async () => {
    const checksums = new Map((await shippedMigrations()).map(({ name, checksum }) => [name, checksum]));
    for (const [name, checksum] of Object.entries(RELEASED))
      expect([name, checksums.get(name)]).toEqual([name, checksum]);
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
    const refused =
      /^(BEGIN|START|COMMIT|END|ROLLBACK|ABORT|PREPARE|VACUUM|SET (?!LOCAL)|ALTER SYSTEM)\b|\bCONCURRENTLY\b/i;
    for (const { name, sql } of await shippedMigrations()) {
      expect([name, statementsOf(sql).filter((statement) => refused.test(statement))]).toEqual([name, []]);
    }
    expect(statementsOf('-- BEGIN\nSELECT 1;\n\nCOMMIT;').filter((statement) => refused.test(statement))).toEqual([
      'COMMIT',
    ]);
  });
});
