import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../harness/database.js';
import { useService } from '../harness/service.js';

// Real: requests to the built service, with identifiers that SQL has inserted.
const service = useService({ NAMING_AUTHORITIES: '100.102' });

/** Withdrawn identifiers, of which each has a target and a metadata ID; a page compares 21,000. */
const FILL = `
  INSERT INTO identifier (naming_authority_id, guid, metadata_id, metadata_key, target, created_at, state, withdrawn_at,
                          withdrawal_reason_code, withdrawal_reason)
  SELECT (SELECT id FROM naming_authority), gen_random_uuid(), 'demo:' || n, gen_random_uuid(), 'https://a.example/', t, 'withdrawn', t, 'other', 'test'
  FROM generate_series(1, 22000) n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS t) x`;

/** The identifiers without a target, of which the last one has no metadata ID either. */
const missing: string[] = [];
let reserved: string;

beforeAll(async () => {
  const { client, database } = service;
  await query(database.url, FILL);
  for (const fields of [{ metadataId: 'demo:without-target' }, {}])
    missing.push((await client.mint(fields)).body.identifier);
  const lease = { leaseUntil: '2999-01-01T00:00:00Z', count: 1, namingAuthority: '100.102' };
  const made = await client.post('/reservations', lease);
  reserved = made.body.items[0];
});

const list = async (parameters: string) => {
  const { status, body } = await service.client.get(`/identifiers?${parameters}`);
  return [status, body.code ?? body.items.map(({ identifier }: { identifier: string }) => identifier)];
};

describe('a list whose page would compare more than 21,000 identifiers', () => {
  it.each([
    'state=reserved',
    'state=active',
    'state=reserved&sort=createdAt&limit=1',
    'state=withdrawn&hasTarget=false&createdFrom=2026-01-01',
  ])('is rejected where no index has fewer, also with a total: %s', async (parameters) => {
    const isRejected = !parameters.includes('hasTarget=false');
    expect(await list(`${parameters}&total=true`)).toEqual(isRejected ? [400, 'FILTER_TOO_BROAD'] : [200, []]);
  });

  it('is rejected with the way to get all of them, which is the export', async () => {
    const { body } = await service.client.get('/identifiers?state=reserved');
    expect(body.detail).toContain('GET /identifiers/export');
    const response = await fetch(`${service.server.url}/identifiers/export?state=reserved`);
    const lines = (await response.text()).split('\n').slice(0, -1);
    expect(lines.map((line) => JSON.parse(line).identifier)).toEqual([reserved]);
  });

  it('is read from the other end, where its page is full or the rest is small', async () => {
    expect(await list('state=reserved&sort=-createdAt&limit=1')).toEqual([200, [reserved]]);
    expect(await list('state=reserved&createdFrom=2026-01-02')).toEqual([200, [reserved]]);
  });
});

describe('a list with an index', () => {
  it('finds the few without a target or a metadata ID behind all others', async () => {
    expect(await list('hasTarget=false')).toEqual([200, [...missing, reserved]]);
    expect(await list('hasMetadataId=false')).toEqual([200, [missing[1], reserved]]);
    expect(await list('hasMetadataId=false&hasTarget=false&state=reserved')).toEqual([200, [reserved]]);
  });
});

describe('lists without an index', () => {
  it('run at most four at once; others are 503 with Retry-After', async () => {
    const locker = new pg.Client({ connectionString: service.database.url });
    await locker.connect();
    try {
      await locker.query('BEGIN; LOCK TABLE identifier IN ACCESS EXCLUSIVE MODE');
      const answers = Array.from({ length: 7 }, () => service.client.get('/identifiers?state=withdrawn&limit=1'));
      await pause(500);
      const { rows } = await locker.query<{ waiting: number }>(
        "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      expect(rows[0]!.waiting).toBeGreaterThan(0);
      expect(rows[0]!.waiting).toBeLessThanOrEqual(4);
      await pause(2000);
      await locker.query('ROLLBACK');
      const rejected = (await Promise.all(answers)).filter(
        ({ status, body }) => status === 503 && body.code === 'OVERLOADED',
      );
      expect(rejected.length).toBeGreaterThanOrEqual(3);
      for (const { headers } of rejected) expect(headers.get('retry-after')).toBe('2');
    } finally {
      await locker.end();
    }
  });
});
