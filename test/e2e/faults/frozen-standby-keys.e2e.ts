/** While the synchronous standby is frozen, writes by key wait in bounds: they leave connections to the reads of keys and records. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { FrozenStandby } from '../harness/frozen-standby.js';
import { type TestServer, startServer } from '../harness/server.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

const ADMIN = '4f1c0a7be29d83655e0b9a47d1c2f3861b7e5d094a6c8f20e3d1957b6a0c4f8e';
/** The limit of a response is the sum of these: 6 s. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '2000', DATABASE_STATEMENT_TIMEOUT_MS: '4000' };
const LONGEST_MS = 7000;
const LONGEST_READ_MS = 3000;
const FROZEN_S = 8;
/** More in 2 s than connections of the general pool. */
const CHANGES_EACH_SECOND = 20;
const KEYS = 30;

let database: FrozenStandby;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  database = await FrozenStandby.start();
  const environment = { ACCESS: 'keys', ADMIN_API_KEY: ADMIN, NAMING_AUTHORITIES: '100.102', ...LIMITS };
  server = await startServer({ DATABASE_URL: database.url, ...environment });
  client = new Client(server.url);
}, 60_000);

afterAll(async () => {
  await server.stop();
  await database.stop();
});

interface Timed {
  readonly status: number;
  readonly ms: number;
}

async function timed(request: Promise<{ readonly status: number }>): Promise<Timed> {
  const since = performance.now();
  const { status } = await request;
  return { status, ms: performance.now() - since };
}

const statuses = (responses: readonly Timed[]) => [...new Set(responses.map(({ status }) => status))];
const slowest = (responses: readonly Timed[]) => Math.max(...responses.map(({ ms }) => ms));

it('changes are rejected in time, and reads and lists by key go on', async () => {
  const keyOf = async (n: number) => {
    const fields = { client: `client-${n}`, namingAuthorities: null, scopes: ['read', 'mint', 'curate'] };
    const { body } = await client.post('/api-keys', fields, { authorization: `Bearer ${ADMIN}` });
    return { authorization: `Bearer ${body.secret as string}` };
  };
  const all = await Promise.all(Array.from({ length: KEYS + 2 * FROZEN_S }, (_, n) => keyOf(n)));
  const bearers = all.slice(0, KEYS);
  // The first use of a key is stored, which must not wait for the standby.
  const unused = all.slice(KEYS);
  const { body: known } = await client.mint({}, bearers[0]);
  const minted = await Promise.all(bearers.map((bearer) => client.mint({}, bearer)));
  const paths = minted.map(({ body }) => `/identifiers/${body.identifier}`);
  const change = (n: number) => {
    const headers = { 'content-type': 'application/merge-patch+json', 'if-match': '*', ...bearers[n % KEYS]! };
    return client.send('PATCH', paths[n % KEYS]!, headers, JSON.stringify({ target: `https://a.example/${n}` }));
  };

  const changeAndRead = async () => {
    try {
      await database.freeze();
      const changes: Promise<Timed>[] = [];
      const reads: Promise<Timed>[] = [];
      for (let second = 0; second < FROZEN_S; second++) {
        for (let n = 0; n < CHANGES_EACH_SECOND; n++) changes.push(timed(change(second * CHANGES_EACH_SECOND + n)));
        reads.push(timed(client.get(`/identifiers/${known.identifier}`, unused[2 * second])));
        reads.push(timed(client.get('/identifiers?limit=2', unused[2 * second + 1])));
        await pause(1000);
      }
      const [changed, read] = await Promise.all([Promise.all(changes), Promise.all(reads)]);
      expect(statuses(changed)).toEqual([503]);
      expect(slowest(changed)).toBeLessThan(limitMs(LONGEST_MS));
      expect(statuses(read)).toEqual([200]);
      expect(slowest(read)).toBeLessThan(limitMs(LONGEST_READ_MS));
    } finally {
      await database.thaw();
    }
  };
  await undisturbed(changeAndRead);
  // The commits that wait end one by one, and hold their locks until then.
  let last = 0;
  for (let attempt = 0; last !== 200 && attempt < 40; attempt++) {
    if (attempt > 0) await pause(500);
    last = (await change(0)).status;
  }
  expect(last).toBe(200);
}, 240_000);
