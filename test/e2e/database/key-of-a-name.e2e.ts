import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { isHandle, toCordraId, toHandle, toResolver } from '@mintmark/identifier';
import { NamingAuthoritySnapshot } from '../../../dist/registry/naming-authority-snapshot.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';

// The self key of an identifier is computed twice: in SQL, for the objects that it describes, and in TypeScript, for
// the names of requests. This test compares the two in PostgreSQL.
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

interface Case {
  readonly prefix: string;
  readonly caseInsensitive: boolean;
  readonly localName: string;
}

const keysInSql = async (cases: readonly Case[], guids: readonly (string | null)[]): Promise<string[]> => {
  const { rows } = await client.query<{ key: string }>(
    `SELECT self_key(c.prefix, c.guid, c.local_name, c.folds) AS key
     FROM unnest($1::text[], $2::boolean[], $3::text[], $4::uuid[])
       WITH ORDINALITY AS c(prefix, folds, local_name, guid, place)
     ORDER BY place`,
    [
      cases.map(({ prefix }) => prefix),
      cases.map(({ caseInsensitive }) => caseInsensitive),
      cases.map(({ localName }) => localName),
      guids,
    ],
  );
  return rows.map(({ key }) => key);
};

const knownWith = ({ prefix, caseInsensitive }: Case, profile: 'cordra' | 'handle') => {
  const times = { version: 1, createdAt: new Date(0), updatedAt: new Date(0) };
  const values = { storesHandleValues: false, sandbox: false, metadataIdScheme: 'recognized' as const };
  const settings = { state: 'active', uuidVersion: 4, targetTemplate: null, resolver: null, ...values } as const;
  return new NamingAuthoritySnapshot(
    [{ prefix, profile, caseInsensitive, ...settings, ...times }],
    toResolver({ scheme: 'http', authority: 'hdl.handle.net' }),
  );
};

describe('the key of an identifier as a metadata ID', () => {
  it('R-15, R-35: is the same in SQL and in TypeScript, for 5,000 Handles and every letter with a case', async () => {
    const unit = fc.oneof(
      fc.constantFrom(...'aAzZkKiIßﬀİıſ\u212aéÉςΣǅ/?#%:@. '),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    // 32 hexadecimal digits in both cases, with and without hyphens, and what can precede and follow them.
    const likeGuids = fc
      .tuple(
        fc.constantFrom('', '', '', '0', '-', ' '),
        fc.stringMatching(/^[0-9a-fA-F]{32}$/),
        fc.boolean(),
        fc.constantFrom('', '', '?', '#x', '?a#b', '/', '0', '-', '\u00e9?'),
      )
      .map(([before, hex, hasHyphens, after]) => {
        const written = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
        return before + (hasHyphens ? written : hex) + after;
      });
    const arbitrary = fc.record({
      prefix: fc.oneof(
        fc.constantFrom('20.500', '777', '0.NA', '0.na', '0.Na', 'Ark', 'ß.ﬀ', 'İ', '10.1000', 'é.k\u212a'),
        fc.stringMatching(/^[A-Za-z0-9]{1,5}$/),
      ),
      caseInsensitive: fc.boolean(),
      localName: fc.oneof(fc.string({ unit, minLength: 1, maxLength: 12 }), likeGuids),
    });
    const letters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter(
      (c) => /\p{L}/u.test(c) && c.toLowerCase() !== c.toUpperCase(),
    );
    const cases: Case[] = [
      ...fc.sample(arbitrary, 12_000),
      ...letters.map((localName) => ({ prefix: '20.500', caseInsensitive: true, localName })),
    ].filter(({ prefix, localName }) => isHandle(`${prefix}/${localName}`));
    expect(cases.length).toBeGreaterThan(5000);
    const inSql = await keysInSql(
      cases,
      cases.map(() => null),
    );
    cases.forEach((each, index) => {
      const stored = knownWith(each, 'handle').canonicalName(toHandle(`${each.prefix}/${each.localName}`));
      if (inSql[index] !== stored.key) throw new Error(`the keys of ${JSON.stringify(each)} differ`);
    });
  });

  it('R-24: is the same for CORDRA identifiers, whatever their case, query and fragment', async () => {
    const guids = Array.from(
      { length: 200 },
      (_, i) => `${i.toString(16).padStart(8, 'f')}-b1f8-48f0-a606-e84cef294be5`,
    );
    const cases = guids.map((_, i) => ({ prefix: '100.102', caseInsensitive: i % 2 === 0, localName: '' }));
    const inSql = await keysInSql(cases, guids);
    guids.forEach((guid, index) => {
      const name = toCordraId(`100.102/${guid.replaceAll('-', '')}?v=2#top`);
      expect(inSql[index]).toBe(knownWith(cases[index]!, 'cordra').canonicalName(name).key);
    });
  });
});
