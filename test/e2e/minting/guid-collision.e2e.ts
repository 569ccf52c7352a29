import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ADMIN } from '../../../dist/access/principal.js';
import { MintBudget } from '../../../dist/access/limits/mint-budget.js';
import { MintConflicts } from '../../../dist/minting/mint-conflicts.js';
import { Metrics } from '../../../dist/metrics/metrics.js';
import { MintReplays } from '../../../dist/minting/mint-replays.js';
import { MintingService } from '../../../dist/minting/minting.service.js';
import { PreviousVersionReader } from '../../../dist/minting/previous-versions.js';
import { toResolver } from '@mintmark/identifier';
import { NamingAuthorityWriter } from '../../../dist/storage/naming-authorities/naming-authority-writer.js';
import { NameHolders } from '../../../dist/storage/identifiers/name-holders.js';
import { IdentifierUpdater } from '../../../dist/storage/identifiers/identifier-updater.js';
import { ChangeReader } from '../../../dist/storage/changes/change-reader.js';
import { IdentifierReader } from '../../../dist/storage/identifiers/identifier-reader.js';
import { NamingAuthorityCache } from '../../../dist/storage/naming-authorities/naming-authority-cache.js';
import { ConflictFinder } from '../../../dist/storage/identifiers/conflict-finder.js';
import { IdentifierWriter } from '../../../dist/storage/identifiers/identifier-writer.js';
import { ConflictRetries } from '../../../dist/storage/conflict-retries.js';
import { RequestResults } from '../../../dist/storage/request-results.js';
import { Transactions } from '../../../dist/storage/transactions.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';

// Real: the built service and its database. Replaced: the generator of GUIDs, which repeats values.
let database: TestDatabase;
let pool: pg.Pool;

const ORDER = {
  namingAuthority: '100.102',
  metadata: null,
  mintMetadataId: false,
  metadataTarget: null,
  target: null,
  language: null,
  alternates: [],
  previousVersion: null,
  guid: null,
  localName: null,
  localNameStart: '',
  handleValues: null,
  leaseUntil: null,
  onExisting: 'return' as const,
  sent: [],
};
const ASKED = { actor: { client: 'test', keyId: null }, request: null };
const RESOLVER = toResolver({ scheme: 'http', authority: 'hdl.handle.net' });

const [A, B, C, D, E] = ['a', 'b', 'c', 'd', 'e'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

function mintingWith(guids: (string | undefined)[]) {
  const reader = new IdentifierReader(pool);
  const transactions = new Transactions(pool, pool);
  const results = new RequestResults(pool, transactions);
  const replays = new MintReplays(reader, results, new NameHolders(pool), transactions);
  const retries = new ConflictRetries(transactions, new IdentifierUpdater(reader));
  const authorities = new NamingAuthorityCache(pool, RESOLVER);
  const metrics = new Metrics();
  const service = new MintingService(
    new IdentifierWriter(transactions),
    new MintConflicts(new ConflictFinder(pool), retries, transactions, replays, new ChangeReader(pool)),
    replays,
    authorities,
    { next: () => guids.shift() ?? A! },
    new MintBudget(metrics, 0),
    metrics,
    new PreviousVersionReader(new NameHolders(pool), reader),
    transactions,
  );
  return {
    mint: async (order: typeof ORDER) => {
      const { results, failure } = await service.mintAll([
        { command: order, context: ASKED, known: await authorities.current(), reader: ADMIN },
      ]);
      const [minted] = results.values();
      if (minted === undefined) throw failure ?? new TypeError('one job has one result');
      if (minted instanceof Error) throw minted;
      return minted;
    },
  };
}

const count = async () => (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM identifier')).rows[0]!.n;

beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  // The database is dropped while the pool still closes its connections.
  pool.on('error', () => {});
  const transactions = new Transactions(pool, pool);
  await new NamingAuthorityWriter(transactions).ensure([
    { prefix: '100.102', profile: 'cordra', metadataIdScheme: 'recognized' },
  ]);
  await mintingWith([A]).mint(ORDER);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('a GUID that exists already', () => {
  it('is replaced by a new one in the same request', async () => {
    const { outcome, record } = await mintingWith([A, A, B]).mint(ORDER);
    expect([outcome, record.guid?.slice(0, 8)]).toEqual(['created', 'BBBBBBBB']);
  });

  it('stores no half of a pair when the metadata record conflicts', async () => {
    const before = await count();
    const { record, metadataRecord } = await mintingWith([C, A, D, E]).mint({ ...ORDER, mintMetadataId: true });
    expect([record.guid?.slice(0, 4), metadataRecord?.guid?.slice(0, 4)]).toEqual(['DDDD', 'EEEE']);
    expect(await count()).toBe(before + 2);
  });

  it('ends in an error, not in a loop, when the source only repeats itself', async () => {
    const before = await count();
    await expect(mintingWith([]).mint(ORDER)).rejects.toThrow('the random source repeats values');
    expect(await count()).toBe(before);
  });
});

describe('the database enforces its constraints itself', () => {
  const insert = (columns: string, values: string) =>
    pool.query(
      `INSERT INTO identifier (naming_authority_id, guid, ${columns}) VALUES (1, gen_random_uuid(), ${values})`,
    );

  it.each([
    ['an unknown state', 'state', "'gone'", 'identifier_state_check'],
    ['version 0', 'version', '0', 'identifier_version_check'],
    ['a metadata ID without its key', 'metadata_id', "'hdl:1/2'", 'identifier_metadata_check'],
    ['a target over 2048 bytes', 'target', "'http://a/' || repeat('x', 2048)", 'identifier_target_check'],
    ['a request key without a hash', 'request_key, request_index', "'k', 0", 'identifier_request_check'],
    ['a lease on an active identifier', 'lease_until', 'now()', 'identifier_lease_check'],
    [
      'a withdrawn identifier without a reason',
      'state, withdrawn_at, withdrawal_reason_code',
      "'withdrawn', now(), 'other'",
      'identifier_tombstone_check',
    ],
    ...["'withdrawn', now(), 'x', NULL", "'withdrawn', now(), 'x', 'lost'", "'active', NULL, NULL, 'other'"].map(
      (values) => [
        `a tombstone without a reason code, with an unknown one, or a reason code alone: ${values}`,
        'state, withdrawn_at, withdrawal_reason, withdrawal_reason_code',
        values,
        'identifier_tombstone_check',
      ],
    ),
    ['a local name beside a GUID', 'local_name, local_key', "'x', md5('x')::uuid", 'identifier_local_name_check'],
  ])('rejects %s', async (_, columns, values, constraint) => {
    await expect(insert(columns, values)).rejects.toMatchObject({ code: '23514', constraint });
  });

  it('rejects a GUID twice under one naming authority', async () => {
    const again = `INSERT INTO identifier (naming_authority_id, guid) VALUES (1, '${A!}')`;
    await expect(pool.query(again)).rejects.toMatchObject({ code: '23505', constraint: 'identifier_guid_key' });
  });

  it.each([
    'DELETE FROM naming_authority',
    "UPDATE naming_authority SET prefix = '1'",
    'DELETE FROM identifier',
    'UPDATE identifier SET guid = gen_random_uuid()',
    'DELETE FROM change',
    "UPDATE change SET patch = '[]'",
  ])('rejects to forget: %s', async (sql) => {
    await expect(pool.query(sql)).rejects.toMatchObject({ code: '23001' });
  });
});
