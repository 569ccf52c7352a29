/** Every request has a response in time while the synchronous standby is frozen, and reads go on. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { FrozenStandby } from '../harness/frozen-standby.js';
import { type TestServer, startServer } from '../harness/server.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

/** The limit of a response is the sum of these: 5 s. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '1000', DATABASE_STATEMENT_TIMEOUT_MS: '4000' };
const LONGEST_MS = 7000;
const FROZEN_MS = 14_000;
const MINTS_EACH_SECOND = 20;
/** As many in 4 s as connections of the general pool: sessions that nobody ended would exceed the bound before the end. */
const BATCHES_EACH_SECOND = 5;

/** The connections of the four pools: 20, 6, 1 and 1 by default. */
const POOLED = 28;

let database: FrozenStandby;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  database = await FrozenStandby.start();
  const environment = { ACCESS: 'open', NAMING_AUTHORITIES: '100.102', ...LIMITS };
  server = await startServer({ DATABASE_URL: database.url, ...environment });
  client = new Client(server.url);
});

afterAll(async () => {
  await server.stop();
  await database.stop();
});

interface Sent {
  readonly status: number;
  readonly code: string;
  readonly ms: number;
}

const timed = async (request: Promise<{ status: number; body: { code?: string } | null }>): Promise<Sent> => {
  const since = performance.now();
  const { status, body } = await request;
  return { status, code: body?.code ?? '', ms: performance.now() - since };
};

const withKey = (more: Record<string, string> = {}) => ({ 'idempotency-key': crypto.randomUUID(), ...more });

/** Requests that have limits for their parts only: they make progress as long as the database does. */
const BULK = [
  () =>
    client.post(
      '/reservations',
      { namingAuthority: '100.102', count: 2, leaseUntil: '2126-11-20T09:30:00Z' },
      withKey(),
    ),
  async () => {
    const response = await fetch(`${server.url}/identifiers/bulk?namingAuthority=100.102`, {
      method: 'POST',
      headers: withKey({ 'content-type': 'application/x-ndjson' }),
      body: `${JSON.stringify({})}\n`,
    });
    await response.text();
    return { status: response.status, body: null };
  },
];

it('rejects mints within its limits, reads meanwhile, bounds its sessions, and mints once for each key afterwards', async () => {
  await undisturbed(async () => {
    try {
      await rejectWhileFrozen();
    } finally {
      await database.thaw();
    }
  });
}, 300_000);

async function rejectWhileFrozen(): Promise<void> {
  const { body: known } = await client.mint();
  await database.freeze();
  const mints: Promise<Sent>[] = [];
  const others: Promise<Sent>[] = [];
  const inParts: Promise<Sent>[] = [];
  const reads: Promise<Sent>[] = [];
  const keys: string[] = [];
  let most = 0;
  for (const since = performance.now(); performance.now() - since < FROZEN_MS;) {
    for (let n = 0; n < MINTS_EACH_SECOND; n++) {
      const key = crypto.randomUUID();
      keys.push(key);
      mints.push(timed(client.mint({}, { 'idempotency-key': key })));
    }
    inParts.push(...BULK.map((send) => timed(send())));
    const items = [{ namingAuthority: '100.102' }];
    for (let n = 0; n < BATCHES_EACH_SECOND; n++) {
      others.push(timed(client.post('/identifiers/batch', { items }, { 'idempotency-key': crypto.randomUUID() })));
    }
    reads.push(timed(client.get(`/identifiers/${known.identifier}`)));
    most = Math.max(most, (await database.sessions()).all);
    await pause(1000);
  }
  const rejected = await Promise.all([...mints, ...others]);
  // The status of a stream precedes its results.
  expect(Math.max(...(await Promise.all(inParts)).map(({ ms }) => ms))).toBeLessThan(limitMs(LONGEST_MS));
  expect(Math.max(...rejected.map(({ ms }) => ms))).toBeLessThan(limitMs(LONGEST_MS));
  expect(new Set(rejected.map(({ status }) => status))).toEqual(new Set([503]));
  // The ones that were sent, and the ones that waited behind them and were not.
  expect(new Set((await Promise.all(mints)).map(({ code }) => code))).toEqual(
    new Set(['OUTCOME_UNKNOWN', 'DATABASE_UNAVAILABLE']),
  );
  const read = await Promise.all(reads);
  expect(new Set(read.map(({ status }) => status))).toEqual(new Set([200]));
  expect(Math.max(...read.map(({ ms }) => ms))).toBeLessThan(limitMs(3000));
  // Those of the pools, as many that the pools have given up and that are about to end, and one that ends them.
  expect(most).toBeLessThanOrEqual(2 * POOLED + 2);

  await database.thaw();
  const repeated = await Promise.all(keys.map((key) => client.mint({}, { 'idempotency-key': key })));
  expect(new Set(repeated.map(({ status }) => status))).toEqual(new Set([201]));
  const [row] = await database.query<{ n: number; keys: number }>(
    `SELECT count(*)::int AS n, count(DISTINCT request_key)::int AS keys FROM identifier
     WHERE request_key = ANY('{${keys.join(',')}}')`,
  );
  expect(row).toEqual({ n: keys.length, keys: keys.length });
}
