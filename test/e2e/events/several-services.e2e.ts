import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { IdentifierUpdater } from '../../../dist/storage/identifiers/identifier-updater.js';
import { IdentifierReader } from '../../../dist/storage/identifiers/identifier-reader.js';
import { Transactions } from '../../../dist/storage/transactions.js';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { type SeenEvent, followLog, readLog, untilRead } from '../harness/log-reader.js';
import { type TestServer, startServer } from '../harness/server.js';

const MINTS = 20;
const CHANGES = 15;

const variables = (url: string) => ({ DATABASE_URL: url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });

const mintOne = async (client: Client): Promise<string> => (await client.mint()).body.identifier as string;

async function mintMany(client: Client): Promise<string[]> {
  const minted: string[] = [];
  while (minted.length < MINTS) minted.push(await mintOne(client));
  return minted;
}

/** Changes random identifiers, several in a transaction, on a separate pool as in another process. */
async function changeMany(url: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const changes = new IdentifierUpdater(new IdentifierReader(pool));
  const transactions = new Transactions(pool, pool);
  let made = 0;
  for (let n = 0; n < CHANGES; n++) {
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM identifier ORDER BY random() LIMIT 3');
    const ids = rows.map(({ id }) => BigInt(id));
    const changed = await transactions.run(async (transaction) => {
      const { now, records } = await changes.lock(transaction, ids);
      const amendment = { kind: 'changed', target: `https://a.org/${n}` } as const;
      const requested = records.map((record) => ({ record, amendment }));
      await changes.write(transaction, { client: 'curator', keyId: null }, now, requested);
      return requested.length;
    });
    made += changed;
  }
  await pool.end();
  return made;
}

describe('the log of several services on one database', () => {
  let database: TestDatabase;
  let servers: TestServer[];
  beforeAll(async () => {
    database = await createDatabase();
    servers = await Promise.all(Array.from({ length: 5 }, () => startServer(variables(database.url))));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  it('has every mint and change once, the versions of each identifier ascending, while four mint and four change', async () => {
    const clients = servers.map(({ url }) => new Client(url));
    const reader = followLog(clients[4]!);
    const first = await Promise.all(clients.slice(0, 4).map(mintOne));
    const [more, changes] = await Promise.all([
      Promise.all(clients.slice(0, 4).map(mintMany)),
      Promise.all(Array.from({ length: 4 }, () => changeMany(database.url))),
    ]);
    const minted = [...first, ...more.flat()];
    const count = minted.length + changes.reduce((sum, n) => sum + n, 0);
    await pause(300);
    // The naming authority has an event too.
    const events = (await reader.stop(count + 1)).filter(({ identifier }) => identifier !== null);
    expect(events).toHaveLength(count);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const versions = new Map<string, number>();
    for (const { identifier, version } of events) {
      expect(version).toBe((versions.get(identifier!) ?? 0) + 1);
      versions.set(identifier!, version);
    }
    expect([...versions.keys()].sort()).toEqual(minted.sort());
  });

  it('continues from an old cursor after a restart', async () => {
    const first = servers.pop()!;
    const client = new Client(first.url);
    const { next } = await readLog(client);
    const minted: unknown[] = [];
    for (let n = 0; n < 3; n++) minted.push((await client.mint()).body.identifier);
    const events = await untilRead(client, 3, next);
    expect(events.map(({ identifier }) => identifier)).toEqual(minted);
    await first.stop('SIGKILL');
    const second = await startServer(variables(database.url));
    servers.push(second);
    expect(await untilRead(new Client(second.url), 3, next)).toEqual(events);
  });
});

describe('a registry that was restored into a cluster with smaller transaction numbers', () => {
  it('places new events after the old ones, and an old cursor remains valid, with four services that start at once', async () => {
    const database = await createDatabase();
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `INSERT INTO naming_authority (id, prefix) VALUES (-1, '1'), (-2, '2');
       INSERT INTO change (position, naming_authority_id, version, kind, client, patch)
       VALUES (4000000000000000000, -1, 1, 'created', 'old', '[]'), (4000000000000000001, -2, 1, 'created', 'old', '[]')`,
    );
    const servers = await Promise.all(Array.from({ length: 4 }, () => startServer(variables(database.url))));
    const [client] = servers.map(({ url }) => new Client(url));
    const namesIn = ({ events }: { events: SeenEvent[] }) =>
      events.map(({ identifier, namingAuthority }) => identifier ?? namingAuthority);
    const before = await readLog(client!);
    expect(namesIn(before)).toEqual(['1', '2', '100.102']);
    const { identifier } = (await client!.mint()).body;
    expect(namesIn(await readLog(client!))).toEqual(['1', '2', '100.102', identifier]);
    expect(namesIn(await readLog(client!, before.events[0]!.id))).toEqual(['2', '100.102', identifier]);
    await Promise.all(servers.map((server) => server.stop()));
    const { rows } = await admin.query<{ value: string }>('SELECT value FROM change_offset');
    const again = await startServer(variables(database.url));
    expect((await admin.query('SELECT value FROM change_offset')).rows).toEqual(rows);
    await again.stop();
    await admin.end();
    await database.drop();
  });
});
