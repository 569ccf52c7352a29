import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';

// Real: sequences as logical replication leaves them at a subscriber, which has the rows and no state of sequences.

const BEHIND = "SELECT setval('identifier_id_seq', 1, false), setval('naming_authority_id_seq', 1, false)";

let database: TestDatabase;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  database = await createDatabase();
  await query(
    database.url,
    `INSERT INTO naming_authority (id, prefix) VALUES (1, '100.102'), (2, '2000.01');
     INSERT INTO identifier (id, naming_authority_id, guid) SELECT n, 1, gen_random_uuid() FROM generate_series(1, 20) n;
     ${BEHIND}`,
  );
  server = await startServer({
    DATABASE_URL: database.url,
    ACCESS: 'open',
    NAMING_AUTHORITIES: '100.102,2000.01,20.1000',
  });
  client = new Client(server.url);
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

describe('a sequence that is behind the keys of its table', () => {
  it('is raised by the start, for identifiers and for naming authorities', async () => {
    expect((await client.mint()).status).toBe(201);
    expect((await client.mint({ mintMetadataId: true })).status).toBe(201);
    const made = await client.post('/naming-authorities', { namingAuthority: '30.1', profile: 'handle' });
    expect(made.status).toBe(201);
    const ids = await query<{ id: string }>(database.url, 'SELECT id FROM identifier WHERE id > 20 ORDER BY id');
    expect(ids.length).toBe(3);
    const authorities = await query<{ prefix: string }>(
      database.url,
      'SELECT prefix FROM naming_authority ORDER BY id',
    );
    expect(authorities.map(({ prefix }) => prefix)).toEqual(['100.102', '2000.01', '20.1000', '30.1']);
  });

  it('is named by the error of a mint where it was put back under a running service', async () => {
    await query(database.url, BEHIND);
    expect((await client.mint()).status).toBe(500);
    // The service does not wait for the reader of its log.
    for (const end = Date.now() + 5000; !server.stdout().includes('"level":50') && Date.now() < end;) await pause(50);
    expect(server.stdout()).toContain('the sequence identifier_id_seq is behind the keys of identifier');
    expect(server.stdout()).not.toContain('the random source repeats values');
  });
});
