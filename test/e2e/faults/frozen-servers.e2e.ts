/** A server that is frozen keeps its connections and sends nothing: with `READ_DATABASE_URL`, reads go on without it. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type Replicated, startReplicated } from '../harness/replicated.js';
import { type TestServer, startServer } from '../harness/server.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

const UNKNOWN = '100.102/F58FB49EB1F848F0A606E84CEF294BE5';
const METADATA = 'hdl:2000.01/C3D8BE7457C943FFB66ED4583059A8BB';

/** The limit of a response is the sum of these: 7 s. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '2000', DATABASE_STATEMENT_TIMEOUT_MS: '5000' };
/** The limit of reads while a server fails over. */
const LONGEST_READ_MS = 4000;
/** Of them, those that may take longer: on a busy machine, a statement of the standby can exceed its own limit. */
const SLOW_READS = 0.05;
/** The limit of every request. */
const LONGEST_MS = 8000;
const FROZEN_MS = 8000;

interface Timed {
  readonly status: number;
  readonly ms: number;
}

async function timed(request: Promise<{ readonly status: number }>): Promise<Timed> {
  const since = performance.now();
  const { status } = await request;
  return { status, ms: performance.now() - since };
}

const statuses = (responses: readonly Timed[]) => [...new Set(responses.map(({ status }) => status))].sort();
const slowest = (responses: readonly Timed[]) => Math.max(...responses.map(({ ms }) => ms));
const slowReads = (responses: readonly Timed[]) =>
  responses.filter(({ ms }) => ms >= LONGEST_READ_MS).length / responses.length;

type Send = () => Promise<{ readonly status: number }>[];

/** A service with a primary and a standby of its own, so that both tests wait at the same time. */
class Pair {
  static async start(): Promise<Pair> {
    const postgres = await startReplicated();
    const server = await startServer({
      DATABASE_URL: postgres.primary,
      READ_DATABASE_URL: postgres.standby,
      NAMING_AUTHORITIES: '100.102',
      ACCESS: 'open',
      INTERFACES: 'api,resolver,handles',
      ...LIMITS,
    });
    const { body } = await new Client(server.url).mint({
      target: 'https://repo.example.org/objects/1',
      metadataId: METADATA,
    });
    return new Pair(postgres, server, body.identifier as string);
  }

  readonly client: Client;

  private constructor(
    private readonly postgres: Replicated,
    private readonly server: TestServer,
    private readonly identifier: string,
  ) {
    this.client = new Client(server.url);
  }

  readonly knownReads: Send = () => [
    this.client.get(`/identifiers/${this.identifier}`),
    this.client.get(`/identifiers?metadataId=${METADATA}`),
    this.client.post('/identifiers/lookup', { items: [this.identifier, METADATA] }),
    this.resolve(this.identifier),
    this.client.get(`/api/handles/${this.identifier}`),
  ];

  readonly missingReads: Send = () => [
    this.client.get(`/identifiers/${UNKNOWN}`),
    this.client.post('/identifiers/lookup', { items: [UNKNOWN] }),
    this.resolve(UNKNOWN),
  ];

  readonly mints: Send = () => [this.client.mint()];

  /** Sends groups of requests each half second while a server is frozen, and waits for all responses before it thaws. */
  async whileFrozen(frozen: 'primary' | 'standby', ...groups: readonly Send[]): Promise<Timed[][]> {
    const thaw = await this.postgres.freeze(frozen);
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

  /** Waits until the standby has replayed the record and is read, and the primary was compared afterwards. */
  async replicaInUse(): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const before = await this.readsOfReplica();
      await this.client.get(`/identifiers/${this.identifier}`);
      if ((await this.readsOfReplica()) > before) break;
      if (attempt === 100) throw new Error('the standby is not read');
      await pause(100);
    }
    await pause(2500);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.postgres.stop();
  }

  private resolve(name: string) {
    return fetch(`${this.server.url}/${name}`, { redirect: 'manual' });
  }

  private async readsOfReplica(): Promise<number> {
    const text = await (await fetch(`${this.server.url}/metrics`)).text();
    return Number(/^mintmark_record_reads_total\{server="replica"\} (\d+)$/m.exec(text)![1]);
  }
}

const withPair = (measure: (pair: Pair) => Promise<void>) => async () => {
  const pair = await Pair.start();
  try {
    await undisturbed(async () => {
      await pair.replicaInUse();
      await measure(pair);
    });
  } finally {
    await pair.stop();
  }
};

describe('a frozen server', () => {
  it.concurrent(
    'as the standby: the primary answers reads, misses and mints',
    withPair(async (pair) => {
      const [reads, misses, minted] = await pair.whileFrozen('standby', pair.knownReads, pair.missingReads, pair.mints);
      expect(statuses(reads!)).toEqual([200, 302]);
      expect(statuses(misses!)).toEqual([200, 404]);
      expect(statuses(minted!)).toEqual([201]);
      const all = [...reads!, ...misses!, ...minted!];
      expect(slowReads(all)).toBeLessThan(SLOW_READS);
      expect(slowest(all)).toBeLessThan(limitMs(LONGEST_MS));
    }),
    180_000,
  );

  it.concurrent(
    'as the primary: the standby answers reads, and a miss or a mint is 503 in time',
    withPair(async (pair) => {
      const rejections = () => [...pair.missingReads(), ...pair.mints()];
      const [reads, rejected] = await pair.whileFrozen('primary', pair.knownReads, rejections);
      expect(statuses(reads!)).toEqual([200, 302]);
      expect(slowReads(reads!)).toBeLessThan(SLOW_READS);
      expect(slowest(reads!)).toBeLessThan(limitMs(LONGEST_MS));
      expect(statuses(rejected!)).toEqual([503]);
      expect(slowest(rejected!)).toBeLessThan(limitMs(LONGEST_MS));
    }),
    180_000,
  );
});
