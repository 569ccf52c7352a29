/** A role or a database that admits fewer sessions than the service can use: requests wait for those that it has. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';

const LIMIT = 4;

/** 20 by default, 6 for single mints, 1 for the feed, 2 for probes. */
const NEEDED = 29;

const CHANGES = 12;
const MERGE = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };

let database: TestDatabase;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);
  // Limits do not hold for superusers.
  const role = `limited_${name}`;
  await query(
    database.url,
    `CREATE ROLE ${role} LOGIN PASSWORD 'of-the-role';
     GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role};
     ALTER ROLE ${role} CONNECTION LIMIT ${LIMIT}`,
  );
  const url = new URL(database.url);
  url.username = role;
  url.password = 'of-the-role';
  server = await startServer({ DATABASE_URL: url.href, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
  client = new Client(server.url);
}, 60_000);
afterAll(async () => {
  await server.stop();
  await database.drop();
});

async function changeAtOnce(paths: readonly string[], round: number): Promise<number[]> {
  const changes = paths.map((path, n) =>
    client.send('PATCH', path, MERGE, JSON.stringify({ target: `https://a.example/${round}/${n}` })),
  );
  return (await Promise.all(changes)).map(({ status }) => status);
}

const mintAtOnce = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => client.mint()))).map(({ status }) => status);

const all = (count: number, status: number) => Array.from({ length: count }, () => status);

describe(`a role with CONNECTION LIMIT ${LIMIT}`, () => {
  it('lets changes, mints and reads of the feed wait for a session, and rejects none', async () => {
    const minted: string[] = [];
    for (let n = 0; n < CHANGES; n++) minted.push(`/identifiers/${(await client.mint()).body.identifier as string}`);
    for (let round = 0; round < 3; round++) {
      const [changed, mints, feed] = await Promise.all([
        changeAtOnce(minted, round),
        mintAtOnce(CHANGES),
        client.get('/events?limit=5'),
      ]);
      expect([changed, mints, feed.status]).toEqual([all(CHANGES, 200), all(CHANGES, 201), 200]);
    }
    // One identifier: its changes wait for each other.
    expect(
      await changeAtOnce(
        all(CHANGES, 0).map(() => minted[0]!),
        9,
      ),
    ).toEqual(all(CHANGES, 200));
  });

  it('is named by readiness, which stays ok, and by one line of the log, with the sessions that there are and those needed', async () => {
    const ready = await client.get('/health/ready');
    expect(ready).toMatchObject({ status: 200, body: { state: 'ok' } });
    const { detail } = ready.body as { detail: string };
    const [, sessions, needed] =
      /^The database admits (\d+) sessions of this service, which can use (\d+),/.exec(detail) ?? [];
    expect([Number(sessions), Number(needed)]).toEqual([LIMIT, NEEDED]);
    const lines = () =>
      server
        .stdout()
        .split('\n')
        .filter((line) => line.includes('The database admits'));
    for (const end = Date.now() + 5000; lines().length === 0 && Date.now() < end;) await pause(50);
    expect(lines()).toHaveLength(1);
    expect(JSON.parse(lines()[0]!)).toMatchObject({ level: 40, sessions: LIMIT, needed: NEEDED });
    expect(server.stdout()).not.toContain('the database fails');
  });
});
