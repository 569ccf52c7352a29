/** While the primary is away, a standby that is seconds behind serves reads, and what it lacks is read at another standby. */
import { once } from 'node:events';
import { type AddressInfo, type Server, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { type Replicated, startReplicated } from '../harness/replicated.js';
import { type TestServer, startServer } from '../harness/server.js';

const ADMIN = '4f1c0a7be29d83655e0b9a47d1c2f3861b7e5d094a6c8f20e3d1957b6a0c4f8e';
const TARGET = 'https://repo.example.org/objects/1';
/** Longer than the time by which the state of a standby without lag can be older than the last note of the primary. */
const LAG_MS = 3000;

let postgres: Replicated;
let behindUrl: string;
let balancer: Server;
/** Reads at the standby that is behind. */
let one: TestServer | undefined;
/** Reads at both standbys by a balancer. */
let both: TestServer | undefined;

/** Leads each connection to the server that has the fewest, as the balancer of `deploy/patroni/` does. */
function balance(urls: readonly string[]): Server {
  const servers = urls.map((url) => ({ port: Number(new URL(url).port), connections: 0 }));
  return createServer((client) => {
    const server = servers.reduce((least, other) => (other.connections < least.connections ? other : least));
    server.connections += 1;
    const upstream = connect(server.port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client
      .on('error', () => null)
      .on('close', () => {
        server.connections -= 1;
        upstream.destroy();
      });
    upstream.on('error', () => null).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
}

beforeAll(async () => {
  postgres = await startReplicated();
  behindUrl = await postgres.addStandby();
  balancer = balance([behindUrl, postgres.standby]);
  await once(balancer, 'listening');
  const balanced = new URL(behindUrl);
  balanced.port = String((balancer.address() as AddressInfo).port);
  const start = (readUrl: string) =>
    startServer({
      DATABASE_URL: postgres.primary,
      READ_DATABASE_URL: readUrl,
      NAMING_AUTHORITIES: '100.102',
      ADMIN_API_KEY: ADMIN,
      INTERFACES: 'api,resolver,handles',
    });
  one = await start(behindUrl);
  both = await start(balanced.href);
}, 60_000);

afterAll(async () => {
  await Promise.all([one?.stop(), both?.stop()]);
  balancer.close();
  await postgres.stop();
}, 60_000);

const admin = { authorization: `Bearer ${ADMIN}` };

it('old records are read at it by known keys, and new ones at the other standby', async () => {
  const client = new Client(one!.url);
  const make = async (prefix: string) => {
    const { status, body } = await client.post('/identifiers', { namingAuthority: prefix, target: TARGET }, admin);
    expect(status).toBe(201);
    const key = await client.post('/api-keys', { client: 'reader', namingAuthorities: null, scopes: ['read'] }, admin);
    return { identifier: body.identifier as string, key: { authorization: `Bearer ${key.body.secret as string}` } };
  };
  const old = await make('100.102');
  await pause(500);
  await query(behindUrl, 'SELECT pg_wal_replay_pause()');
  await client.post('/naming-authorities', { namingAuthority: '100.103' }, admin);
  const recent = await make('100.103');
  for (const end = performance.now() + LAG_MS; performance.now() < end;) {
    await make('100.102');
    await pause(200);
  }
  await postgres.killPrimary();

  const statuses = async ({ url }: TestServer, { identifier, key }: typeof old) => {
    const paths = [`/identifiers/${identifier}`, `/${identifier}`, `/api/handles/${identifier}`];
    const page = { accept: 'text/html' };
    const answers = [
      ...paths.map((path) => fetch(url + path, { redirect: 'manual' })),
      fetch(url + paths[0]!, { headers: key }),
      fetch(url + paths[0]!, { headers: { ...page, ...key } }),
    ];
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  // The cache expects what it was told by the primary before, for a second.
  await pause(1000);
  for (let round = 0; round < 8; round += 1) {
    expect(await statuses(one!, old)).toEqual([200, 302, 200, 200, 200]);
    expect(await statuses(both!, old)).toEqual([200, 302, 200, 200, 200]);
    await pause(250);
  }
  const answers = [];
  for (const end = performance.now() + 4000; performance.now() < end;) {
    answers.push((await statuses(both!, recent)).join(' '));
    if (answers.at(-1) === '200 302 200 200 200') break;
    await pause(100);
  }
  expect(answers).toContain('200 302 200 200 200');
}, 60_000);
