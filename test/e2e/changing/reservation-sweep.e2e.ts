import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase, withoutTriggers } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { NEXT_YEAR } from '../harness/reservations.js';

// Two replicas on one database sweep continuously.
let database: TestDatabase;
let replicas: TestServer[] = [];
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  const variables = {
    ...{ DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' },
    RESERVATION_SWEEP_INTERVAL_MS: '100',
  };
  replicas = await Promise.all([startServer(variables), startServer(variables)]);
  client = new pg.Client({ connectionString: withoutTriggers(database.url) });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await Promise.all(replicas.map((replica) => replica.stop()));
  await database.drop();
});

async function waitUntilNoneIsReserved(): Promise<void> {
  const sql = `SELECT 1 FROM identifier WHERE state = 'reserved' LIMIT 1`;
  for (let i = 0; (await client.query(sql)).rows.length > 0; i++) {
    if (i === 300) throw new Error('the sweep does not write down what has ended');
    await pause(100);
  }
}

describe('the sweep', () => {
  it('writes down each lease that has ended once, however many replicas sweep at once', async () => {
    const api = new Client(replicas[0]!.url);
    const fields = { namingAuthority: '100.102', count: 1700, leaseUntil: NEXT_YEAR };
    const { body } = await api.post('/reservations', fields);
    const held = await api.mint({
      state: 'reserved',
      leaseUntil: NEXT_YEAR,
      metadataId: 'demo:1',
      alternateIds: ['demo:2'],
    });
    const active = (await api.mint()).body.identifier;
    expect([body.count, held.status]).toEqual([1700, 201]);
    await client.query(`UPDATE identifier SET lease_until = now() - interval '1 second' WHERE state = 'reserved'`);
    await waitUntilNoneIsReserved();
    const { rows: entries } = await client.query(
      `SELECT kind, client, version, count(*)::int AS entries, count(DISTINCT identifier_id)::int AS identifiers
       FROM change WHERE version > 1 GROUP BY kind, client, version`,
    );
    expect(entries).toEqual([{ kind: 'lapsed', client: 'service', version: 2, entries: 1701, identifiers: 1701 }]);
    const { rows: names } = await client.query('SELECT key FROM alternate_identifier');
    expect(names).toEqual([]);
    expect((await api.get(`/reservations/${body.id}`)).body).toMatchObject({ reserved: 0, withdrawn: 1700 });
    const gone = await api.get(`/identifiers/${held.body.identifier}`);
    expect([gone.status, gone.body.tombstone.replacedBy]).toEqual([410, null]);
    expect((await api.get(`/identifiers/${active}`)).body).toMatchObject({ state: 'active', version: 1 });
  });

  it('does not change an identifier that is activated before its lease ends', async () => {
    const api = new Client(replicas[1]!.url);
    const { body } = await api.post('/reservations', { namingAuthority: '100.102', count: 2, leaseUntil: NEXT_YEAR });
    const [activated, left] = body.items;
    expect((await api.post(`/identifiers/${activated}/activate`, {})).status).toBe(200);
    const { rows } = await client.query<{ leaseUntil: Date }>(
      `UPDATE identifier SET lease_until = date_trunc('milliseconds', now()) - interval '1 second'
       WHERE reservation = $1 AND lease_until IS NOT NULL RETURNING lease_until AS "leaseUntil"`,
      [body.id],
    );
    await waitUntilNoneIsReserved();
    expect((await api.get(`/identifiers/${activated}`)).body).toMatchObject({ state: 'active', version: 2 });
    expect((await api.get(`/identifiers/${left}`)).body.tombstone.withdrawnAt).toBe(rows[0]!.leaseUntil.toISOString());
  });

  it('continues after an outage of the database, and ends with the service', async () => {
    const api = new Client(replicas[0]!.url);
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await pause(300);
    const { status } = await api.mint({ state: 'reserved', leaseUntil: new Date(Date.now() + 1000).toISOString() });
    expect(status).toBe(201);
    await pause(1000);
    await waitUntilNoneIsReserved();
    const ends = await Promise.all(replicas.map((replica) => replica.stop()));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(replicas.map((replica) => replica.stdout()).join('')).not.toMatch(
      /"level":50(?!.*(the database fails|another failure of the database))/,
    );
  });
});
