import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PositionOffset } from '../../../dist/storage/changes/position-offset.js';
import { Client, coded } from '../harness/client.js';
import { createDatabase, query } from '../harness/database.js';
import { type FailingOver, startFailingOver } from '../harness/failing-over.js';
import { readLog, untilRead } from '../harness/log-reader.js';
import { type TestServer, startServer } from '../harness/server.js';

const variables = (url: string) => ({ DATABASE_URL: url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

describe('a raise of the offset of positions', () => {
  it('does not wait for a VACUUM of the tables of events, nor for a dump of all tables', async () => {
    const database = await createDatabase();
    const admin = await connect(database.url);
    await admin.query(
      `INSERT INTO naming_authority (id, prefix) VALUES (-1, '1');
       INSERT INTO change (position, naming_authority_id, version, kind, client, patch)
       VALUES (4000000000000000000, -1, 1, 'created', 'old', '[]')`,
    );
    await admin.query(
      `BEGIN; LOCK TABLE change, identifier, change_offset, naming_authority IN ACCESS SHARE MODE;
       LOCK TABLE change, identifier IN SHARE UPDATE EXCLUSIVE MODE`,
    );
    const server = await startServer(variables(database.url));
    const client = new Client(server.url);
    const { identifier } = (await client.mint()).body;
    const { events } = await readLog(client);
    await server.stop();
    await admin.query('ROLLBACK');
    await admin.end();
    await database.drop();
    expect(events.map((event) => event.identifier ?? event.namingAuthority)).toEqual(['1', '100.102', identifier]);
  });

  it('waits for a statement that has taken a position, and delays the next one, but no read', async () => {
    const database = await createDatabase();
    const first = await startServer(variables(database.url));
    const writer = await connect(database.url);
    await writer.query('BEGIN');
    await writer.query('UPDATE position_gate SET id = id WHERE false');
    await query(database.url, 'UPDATE change_offset SET server_started_at = NULL');
    const session = await connect(database.url);
    const compared = new PositionOffset().compare(session).then(() => 'compared');
    const early = await Promise.race([compared, pause(1000, 'waits')]);
    const readiness = (await new Client(first.url).get('/health/ready')).status;
    const read = (await new Client(first.url).get('/events')).status;
    await writer.query('COMMIT');
    expect([early, readiness, read, await compared]).toEqual(['waits', 503, 200, 'compared']);
    await pause(1100);
    expect((await new Client(first.url).get('/health/ready')).status).toBe(200);
    await Promise.all([writer.end(), session.end()]);
    await first.stop();
    await database.drop();
  });
});

describe('a server that is exchanged under a running service', () => {
  let postgres: FailingOver;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    postgres = await startFailingOver();
    server = await startServer(variables(postgres.url));
    client = new Client(server.url);
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await postgres.stop();
  });

  async function mint(count: number): Promise<string[]> {
    const minted: string[] = [];
    for (const end = Date.now() + 20_000; minted.length < count && Date.now() < end;) {
      const { status, body } = await client.mint();
      if (status === 201) minted.push(body.identifier as string);
      else await pause(50);
    }
    return minted;
  }

  it('by an earlier copy gives no position a second time', async () => {
    await mint(5);
    await untilRead(client, 6);
    const survived = await readLog(client);
    await postgres.standBy();
    await mint(10);
    await untilRead(client, 10, survived.next);
    const lost = await readLog(client, survived.next);
    await postgres.restore();
    const minted = await mint(20);
    expect(minted).toHaveLength(20);
    expect((await untilRead(client, 20, survived.next)).map(({ identifier }) => identifier)).toEqual(minted);
    for (const { id } of lost.events) {
      expect(coded(await client.get(`/events?cursor=${id}`))).toEqual([410, 'CURSOR_AHEAD']);
    }
  }, 60_000);

  it('by one whose transactions have lower numbers keeps each cursor valid, and each new event follows it', async () => {
    const before = await readLog(client);
    // As after pg_upgrade: the rows are there, and the numbers and the timeline that they came from are not.
    await query(
      postgres.url,
      'UPDATE change_offset SET value = value - 1099511627776, server_started_at = NULL; SELECT pg_current_xact_id()',
    );
    await postgres.restart();
    // Without a write and a check of readiness, which raise the offset too.
    let status = 503;
    for (const end = Date.now() + 5000; status === 503 && Date.now() < end;) {
      await pause(50);
      ({ status } = await client.get(`/events?cursor=${before.next}`));
    }
    expect(status).toBe(200);
    const minted = await mint(4);
    expect((await untilRead(client, 4, before.next)).map(({ identifier }) => identifier)).toEqual(minted);
  }, 60_000);
});
