import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newSecret } from '../../../dist/access/key-secret.js';
import type { Answer, Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

// Real: requests to the built service, and the scans that PostgreSQL counts for each index. Sequential scans are off, because
// the tables are small; test/e2e/database/plans decides which plan is taken for large ones.
const service = useService({ RESERVATION_SWEEP_INTERVAL_MS: '300', NAMING_AUTHORITIES: '100.102,2000.01' });

/** They have one row or none, and Prisma's own table. */
const WITHOUT_READER = ['change_offset_pkey', 'cursor_secret_pkey', 'position_gate_pkey', '_prisma_migrations_pkey'];

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };
const known = { identifier: '', reservation: '', keyId: '' };
/** A service with keys, on the same database. */
let withKeys: TestServer;

const REPEATED = { 'idempotency-key': 'repeated' };
const repeated = (client: Client) => client.mint({ metadataId: 'demo:repeated' }, REPEATED);
const rejected = (client: Client) =>
  client.mint({ metadataId: 'demo:1', onExisting: 'reject' }, { 'idempotency-key': 'rejected' });
const streamed = () =>
  sendLines(`${service.server.url}/identifiers/bulk?namingAuthority=100.102`, '{}\n{"metadataId":"demo:1"}\n', {
    'idempotency-key': 'streamed',
  });
const get = (path: () => string) => (client: Client) => client.get(path());
const record = () => `/identifiers/${encodeURIComponent(known.identifier)}`;

/** A request by which the service reads the index. */
const READERS: Record<string, (client: Client) => Promise<unknown>> = {
  alternate_identifier_claimed_idx: (client) => client.mint({ guid: randomUUID() }),
  alternate_identifier_identifier_idx: (client) =>
    client.send('PATCH', record(), MERGE_PATCH, JSON.stringify({ alternateIds: [`demo:${randomUUID()}`] })),
  alternate_identifier_pkey: get(() => '/identifiers?alternateId=demo:alternate-7'),
  api_key_created_idx: get(() => '/api-keys'),
  api_key_pkey: get(() => `/api-keys/${known.keyId}`),
  api_key_secret_hash_key: () =>
    fetch(`${withKeys.url}/identifiers`, { headers: { authorization: `Bearer ${newSecret()}` } }),
  change_authority_key: get(() => '/naming-authorities/2000.01/history'),
  change_identifier_key: get(() => `${record()}/history`),
  change_pkey: get(() => '/events'),
  handle_user_pkey: (client) =>
    client.post('/api-keys', {
      client: 'b2handle',
      namingAuthorities: null,
      scopes: ['read'],
      handleUser: '100.102/ADMIN',
    }),
  identifier_authority_idx: get(() => '/identifiers?namingAuthority=2000.01'),
  identifier_created_idx: get(() => '/identifiers'),
  identifier_event_idx: get(() => '/events'),
  identifier_guid_key: get(record),
  identifier_inactive_authority_idx: get(() => '/naming-authorities/100.102'),
  identifier_inactive_idx: get(() => '/identifiers?state=withdrawn'),
  identifier_lease_idx: () => pause(300),
  identifier_local_key: get(() => '/identifiers/20%2Fname'),
  identifier_metadata_key: get(() => '/identifiers?metadataId=demo:1'),
  identifier_no_metadata_idx: get(() => '/identifiers?hasMetadataId=false'),
  identifier_no_target_idx: get(() => '/identifiers?hasTarget=false'),
  identifier_pkey: (client) => client.post('/identifiers/lookup', { items: [known.identifier] }),
  identifier_previous_version_idx: get(record),
  identifier_request_key: repeated,
  identifier_reservation_idx: get(() => `/reservations/${known.reservation}`),
  identifier_target_idx: get(() => '/identifiers?target=https%3A%2F%2Frepo.example.org%2F7'),
  name_rule_pkey: (client) => client.mint({ metadataId: `hdl:${randomUUID()}/small` }),
  naming_authority_pkey: get(record),
  naming_authority_prefix_fold_key: get(() => '/naming-authorities/2000.01'),
  naming_authority_prefix_key: get(record),
  request_part_pkey: streamed,
  request_pkey: rejected,
};

/** The scans of each index. */
const scans = async (): Promise<Map<string, number>> => {
  const rows = await query<{ name: string; scans: string }>(
    service.database.url,
    "SELECT indexrelname AS name, idx_scan AS scans FROM pg_stat_user_indexes WHERE schemaname = 'public'",
  );
  return new Map(rows.map((row) => [row.name, Number(row.scans)]));
};
const created = ({ status, body }: Answer) => {
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
};

beforeAll(async () => {
  const { client, database, server } = service;
  await query(database.url, `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET enable_seqscan = off`);
  const lines = Array.from({ length: 3000 }, (_, n) =>
    JSON.stringify({
      ...{ namingAuthority: n % 30 === 0 ? '2000.01' : '100.102', metadataId: `demo:${n}` },
      ...{ target: `https://repo.example.org/${n}`, alternateIds: [`demo:alternate-${n}`] },
      ...(n % 10 === 0 && { previousVersion: `hdl:9.9/${n}` }),
    }),
  );
  await sendLines(`${server.url}/identifiers/bulk`, `${lines.join('\n')}\n`, {});
  known.identifier = created(await client.mint()).identifier;
  created(await client.post('/naming-authorities', { namingAuthority: '20', profile: 'handle' }));
  created(await client.mint({ namingAuthority: '20', localName: 'name' }));
  const lease = { leaseUntil: '2999-01-01T00:00:00Z', count: 3, namingAuthority: '100.102' };
  known.reservation = created(await client.post('/reservations', lease)).id;
  // So many that PostgreSQL does not read all of them.
  for (let n = 0; n < 200; n++)
    known.keyId = created(
      await client.post('/api-keys', { client: 'reader', namingAuthorities: null, scopes: ['read'] }),
    ).id;
  withKeys = await startServer({ DATABASE_URL: database.url, ACCESS: 'keys', ADMIN_API_KEY: newSecret() });
  await repeated(client);
  await rejected(client);
  await streamed();
  await query(database.url, 'VACUUM ANALYZE');
  // The sessions of the service take the setting when they begin.
  await query(
    database.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
});

afterAll(() => withKeys.stop());

describe('every index', () => {
  it('has a reader here', async () => {
    expect([...(await scans()).keys()].sort()).toEqual([...Object.keys(READERS), ...WITHOUT_READER].sort());
  });

  it('is read by its reader', async () => {
    const before = await scans();
    let unread = Object.keys(READERS);
    // A session reports its scans at the earliest after a second.
    for (let attempt = 0; attempt < 60 && unread.length > 0; attempt++) {
      for (const index of unread) await READERS[index]!(service.client).catch(() => null);
      await pause(150);
      const now = await scans();
      unread = unread.filter((index) => now.get(index) === before.get(index));
    }
    expect(unread).toEqual([]);
  });
});
