import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Answer, coded } from '../harness/client.js';
import { query, withoutTriggers } from '../harness/database.js';
import { useService } from '../harness/service.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

/** A blocked mint waits a third of this time for its lock. */
const STATEMENT_TIMEOUT_MS = 12_000;

/** Much less than the wait for a lock, and much more than the time of hundreds of mints. */
const SOON_MS = 3000;

const service = useService({ DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS) });

/** Runs work while another session holds locks. */
async function whileLocked<T>(
  statement: string,
  work: (give: (end: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(statement);
    return await work(async (end) => {
      await holder.query(end);
    });
  } finally {
    await holder.query('ROLLBACK');
    await holder.end();
  }
}

const holding = (metadataId: string) =>
  `INSERT INTO identifier (naming_authority_id, guid, metadata_id, metadata_key)
   VALUES ((SELECT id FROM naming_authority WHERE prefix = '100.102'), gen_random_uuid(), '${metadataId}', encode(substring(sha256(convert_to('${metadataId}', 'UTF8')) FROM 1 FOR 16), 'hex')::uuid)`;

const timed = async (answer: Promise<Answer>) => {
  const started = performance.now();
  return { answer: await answer, ms: performance.now() - started };
};

const neighbours = (count: number) => Array.from({ length: count }, () => timed(service.client.mint()));

const rows = async () => {
  const [row] = await query<{ count: number }>(service.database.url, 'SELECT count(*)::int AS count FROM identifier');
  return row?.count ?? 0;
};

describe('while another transaction has locked a metadata ID', () => {
  it('its mints wait and are rejected, and hundreds of others are minted once each meanwhile', async () => {
    // A mint that a disturbed attempt left behind gets its metadata ID later.
    let attempt = 0;
    await undisturbed(() => mintBesideHeld(`HELD-${(attempt += 1)}`));
  });

  const mintBesideHeld = async (name: string) => {
    const before = await rows();
    const metadataId = `hdl:77.7/${name}`;
    await whileLocked(holding(metadataId), async () => {
      const first = neighbours(100);
      const unkeyed = [service.client.mint({ metadataId }), service.client.mint({ metadataId })];
      const keyed = [1, 2].map((n) => service.client.mint({ metadataId }, { 'idempotency-key': `${name}-${n}` }));
      const second = neighbours(200);
      const answers = await Promise.all([...first, ...second]);
      expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 201));
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(limitMs(SOON_MS));
      // Other mints continue between two blocked batches.
      for (let i = 0; i < 5; i++) expect((await timed(service.client.mint())).ms).toBeLessThan(limitMs(SOON_MS));
      for (const rejected of await Promise.all([...unkeyed, ...keyed])) {
        expect(coded(rejected)).toEqual([503, 'CONFLICT_IN_PROGRESS']);
        expect(rejected.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      }
    });
    expect(await rows()).toBe(before + 305);
  };

  it('a mint that waited returns the identifier when it is committed', async () => {
    const metadataId = 'hdl:77.7/COMMITTED';
    const answer = await whileLocked(holding(metadataId), async (give) => {
      const waiting = service.client.mint({ metadataId });
      await pause(300);
      await give('COMMIT');
      return waiting;
    });
    expect([answer.status, answer.body.metadataId]).toEqual([200, metadataId]);
  });

  it('forty mints of forty locked metadata IDs do not delay the others', async () => {
    let attempt = 0;
    await undisturbed(() => mintBesideForty(`hdl:77.7/MANY-${(attempt += 1)}-`));
  });

  const mintBesideForty = async (prefix: string) => {
    const names = Array.from({ length: 40 }, (_, i) => `${prefix}${i}`);
    await whileLocked(names.map(holding).join(';'), async (give) => {
      const blocked = names.map((metadataId) => service.client.mint({ metadataId }));
      const answers = await Promise.all(neighbours(100));
      expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 201));
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(limitMs(SOON_MS));
      await give('COMMIT');
      const codes = new Set((await Promise.all(blocked)).map(({ status }) => status));
      // Requests that waited too long for a connection are rejected with Retry-After.
      expect([...codes].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    });
  };
});

describe('while another transaction changes a reservation whose lease has ended', () => {
  it('the mints of a group with one that needs its metadata ID are minted once each', async () => {
    const metadataId = 'hdl:77.7/LAPSED';
    const leaseUntil = '2099-01-01T00:00:00Z';
    expect((await service.client.mint({ metadataId, state: 'reserved', leaseUntil })).status).toBe(201);
    const end = `UPDATE identifier SET lease_until = now() - interval '1 second' WHERE state = 'reserved'`;
    await query(withoutTriggers(service.database.url), end);
    // The advisory locks of all changes, as for a change of very many identifiers.
    const locks = 'SELECT pg_advisory_xact_lock(4417639, bucket) FROM generate_series(0, 511) AS bucket';
    await whileLocked(locks, async (give) => {
      const before = await rows();
      const first = neighbours(50);
      const blocked = service.client.mint({ metadataId });
      const answers = await Promise.all([...first, ...neighbours(100)]);
      expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 201));
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(limitMs(SOON_MS));
      expect(await rows()).toBe(before + 150);
      await give('COMMIT');
      expect((await blocked).status).toBe(201);
      expect(await rows()).toBe(before + 151);
    });
  });
});
