/** A server that is frozen keeps its connections and sends nothing: with `READ_DATABASE_URL`, reads go on without it. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type Replicated, startReplicated } from '../harness/replicated.js';
import { type TestServer, startPublished } from '../harness/server.js';
import { undisturbed } from '../harness/stalls.js';

const UNKNOWN = '100.102/F58FB49EB1F848F0A606E84CEF294BE5';
const METADATA = 'hdl:2000.01/C3D8BE7457C943FFB66ED4583059A8BB';

/** The limit of reads while a server fails over. */
const LONGEST_READ_MS = 4000;
/** Of them, those that may take longer: on a busy machine, a statement of the standby can exceed its own limit. */
const SLOW_READS = 0.05;
/** The limit of every request. */
const LONGEST_MS = 15_000;
const FROZEN_MS = 12_000;

let postgres: Replicated;
let server: TestServer;
let client: Client;
let identifier: string;

beforeAll(async () => {
  postgres = await startReplicated();
  server = await startPublished({
    DATABASE_URL: postgres.primary,
    READ_DATABASE_URL: postgres.standby,
    NAMING_AUTHORITIES: '100.102',
    ACCESS: 'open',
    FACES: 'api,resolver,handles',
  });
  client = new Client(server.url);
  const { body } = await client.mint({ target: 'https://repo.example.org/objects/1', metadataId: METADATA });
  identifier = body.identifier as string;
}, 60_000);

afterAll(async () => {
  await server.stop();
  await postgres.stop();
}, 60_000);

interface Timed {
  readonly status: number;
  readonly ms: number;
}

async function timed(request: Promise<{ readonly status: number }>): Promise<Timed> {
  const since = performance.now();
  const { status } = await request;
  return { status, ms: performance.now() - since };
}

const resolve = (name: string) => fetch(`${server.url}/${name}`, { redirect: 'manual' });

const knownReads = () => [
  client.get(`/identifiers/${identifier}`),
  client.get(`/identifiers?metadataId=${METADATA}`),
  client.post('/identifiers/lookup', { items: [identifier, METADATA] }),
  resolve(identifier),
  client.get(`/api/handles/${identifier}`),
];

const missingReads = () => [
  client.get(`/identifiers/${UNKNOWN}`),
  client.post('/identifiers/lookup', { items: [UNKNOWN] }),
  resolve(UNKNOWN),
];

type Send = () => Promise<{ readonly status: number }>[];

/** Sends groups of requests each half second while a server is frozen, and waits for all responses before it thaws. */
async function whileFrozen(frozen: 'primary' | 'standby', ...groups: readonly Send[]): Promise<Timed[][]> {
  const thaw = await postgres.freeze(frozen);
  const sent: Promise<Timed>[][] = groups.map(() => []);
  try {
    for (const end = Date.now() + FROZEN_MS; Date.now() < end;) {
      for (const [index, send] of groups.entries()) sent[index]!.push(...send().map(timed));
      await pause(500);
    }
    return await Promise.all(sent.map((requests) => Promise.all(requests)));
  } finally {
    thaw();
  }
}

const statuses = (responses: readonly Timed[]) => [...new Set(responses.map(({ status }) => status))].sort();
const slowest = (responses: readonly Timed[]) => Math.max(...responses.map(({ ms }) => ms));
const slowReads = (responses: readonly Timed[]) =>
  responses.filter(({ ms }) => ms >= LONGEST_READ_MS).length / responses.length;

async function readsOfReplica(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^mintmark_record_reads_total\{server="replica"\} (\d+)$/m.exec(text)![1]);
}

/** Waits until the standby has replayed the record and is read, and the primary was compared afterwards. */
async function replicaInUse(): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const before = await readsOfReplica();
    await client.get(`/identifiers/${identifier}`);
    if ((await readsOfReplica()) > before) break;
    if (attempt === 100) throw new Error('the standby is not read');
    await pause(100);
  }
  await pause(2500);
}

describe('a frozen server', () => {
  it('as the standby: the primary answers reads, misses and mints', async () => {
    await undisturbed(async () => {
      await replicaInUse();
      const mints = () => [client.mint()];
      const [reads, misses, minted] = await whileFrozen('standby', knownReads, missingReads, mints);
      expect(statuses(reads!)).toEqual([200, 302]);
      expect(statuses(misses!)).toEqual([200, 404]);
      expect(statuses(minted!)).toEqual([201]);
      const all = [...reads!, ...misses!, ...minted!];
      expect(slowReads(all)).toBeLessThan(SLOW_READS);
      expect(slowest(all)).toBeLessThan(LONGEST_MS);
    });
  }, 180_000);

  it('as the primary: the standby answers reads, and a miss or a mint is 503 in time', async () => {
    await undisturbed(async () => {
      await replicaInUse();
      const refusals = () => [...missingReads(), client.mint()];
      const [reads, refused] = await whileFrozen('primary', knownReads, refusals);
      expect(statuses(reads!)).toEqual([200, 302]);
      expect(slowReads(reads!)).toBeLessThan(SLOW_READS);
      expect(slowest(reads!)).toBeLessThan(LONGEST_MS);
      expect(statuses(refused!)).toEqual([503]);
      expect(slowest(refused!)).toBeLessThan(LONGEST_MS);
    });
  }, 180_000);
});
