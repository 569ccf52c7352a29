/** Settings that a session inherits from the database or the role do not change what the service does. */
import { expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { createDatabase, query } from '../harness/database.js';
import { runToEnd, startServer } from '../harness/server.js';

const SETTINGS = {
  default_transaction_isolation: 'serializable',
  DateStyle: 'German',
  IntervalStyle: 'sql_standard',
  array_nulls: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  TimeZone: 'Asia/Kathmandu',
};

const CHANGES = 12;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

it('a service mints, changes and looks up over a database with other settings', async () => {
  // Empty: the migrations run under the settings too.
  const database = await createDatabase('template0');
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(SETTINGS)) {
    await query(database.url, `ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  }
  const server = await startServer({ DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
  const client = new Client(server.url);
  const alternateIds = ['info:fedora/demo:1'];
  const minted = await client.mint({ alternateIds, target: 'https://a.example/0' });
  expect([minted.status, minted.body.createdAt]).toEqual([201, expect.stringMatching(TIME)]);
  const path = `/identifiers/${minted.body.identifier}`;

  const headers = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };
  const patches = await Promise.all(
    Array.from({ length: CHANGES }, (_, n) =>
      client.send('PATCH', path, headers, JSON.stringify({ target: `https://a.example/${n + 1}` })),
    ),
  );
  expect(patches.map(({ status }) => status)).toEqual(Array.from({ length: CHANGES }, () => 200));

  const { body } = await client.get(path);
  expect(body).toMatchObject({ version: CHANGES + 1, alternateIds, createdAt: minted.body.createdAt });
  const times = [minted.body.createdAt, body.updatedAt].map((time: string) => Math.abs(Date.now() - Date.parse(time)));
  expect(Math.max(...times)).toBeLessThan(60_000);
  const history = await client.get(`${path}/history`);
  expect(history.body.items).toHaveLength(CHANGES + 1);
  for (const { at } of history.body.items) expect(at).toMatch(TIME);
  const found = await client.post('/identifiers/lookup', { items: [alternateIds[0]] });
  expect(found.body.items[0].outcome).toBe('found');
  await server.stop();
  await database.drop();
}, 60_000);

it('a start over a database with the encoding LATIN1 is rejected, and says how to create one with UTF8', async () => {
  const database = await createDatabase("template0 ENCODING 'LATIN1' LOCALE 'C'");
  const { code, stderr } = await runToEnd({ DATABASE_URL: database.url, ACCESS: 'open' });
  expect(code).toBe(1);
  expect(stderr).toContain('The database has the encoding LATIN1');
  expect(stderr).toContain("ENCODING 'UTF8' TEMPLATE template0");
  expect(stderr).not.toMatch(/^ +at /m);
  expect(await query(database.url, "SELECT 1 FROM pg_class WHERE relname = 'identifier'")).toEqual([]);
  await database.drop();
}, 60_000);
