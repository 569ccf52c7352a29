import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { COUNT } from '../../../dist/storage/naming-authorities/naming-authority-counts.js';
import { query, withoutTriggers } from '../harness/database.js';
import { useService } from '../harness/service.js';

const service = useService({ NAMING_AUTHORITIES: '' });

const create = (namingAuthority: string, fields: object = {}) =>
  service.client.post('/naming-authorities', { namingAuthority, ...fields });

describe('GET /naming-authorities', () => {
  it('pages through all of them in the order of their bytes, nothing twice, with Link', async () => {
    expect((await service.client.get('/naming-authorities')).body).toEqual({ items: [], next: null });
    for (const prefix of ['é', 'b', 'B.1', '9', '10', 'a']) {
      if (prefix === 'B.1') continue;
      expect((await create(prefix, { profile: 'handle' })).status).toBe(201);
    }
    expect((await create('B.1', { profile: 'handle' })).status).toBe(201);
    const seen: string[] = [];
    let path: string | undefined = '/naming-authorities?limit=4';
    while (path !== undefined) {
      const page = await service.client.get(path);
      expect(page.body.items.length).toBeLessThanOrEqual(4);
      seen.push(...page.body.items.map((item: { namingAuthority: string }) => item.namingAuthority));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      expect(page.body.next === null).toBe(path === undefined);
    }
    expect(seen).toEqual(['10', '9', 'B.1', 'a', 'b', 'é']);
  });

  it('shows each as GET of it does', async () => {
    const { items } = (await service.client.get('/naming-authorities')).body;
    for (const item of items) {
      const path = `/naming-authorities/${encodeURIComponent(item.namingAuthority)}`;
      expect((await service.client.get(path)).body).toEqual(item);
    }
  });

  it('counts reserved, active and withdrawn identifiers, and an expired reservation as withdrawn', async () => {
    await create('31');
    for (let i = 0; i < 3; i++) await service.client.mint({ namingAuthority: '31' });
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const reserved: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { status, body } = await service.client.mint({ namingAuthority: '31', state: 'reserved', leaseUntil });
      expect(status).toBe(201);
      reserved.push(body.guid as string);
    }
    const expire = "UPDATE identifier SET lease_until = now() - interval '1 second' WHERE guid = $1";
    await query(withoutTriggers(service.database.url), expire, [reserved[0]]);
    expect((await service.client.get('/naming-authorities/31')).body.counts).toEqual({
      reserved: { value: 2, isExact: true },
      active: { value: 3, isExact: true },
      withdrawn: { value: 1, isExact: true },
    });
  });

  it('estimates above 10,000, marks the estimate, and reads no more rows for any number', async () => {
    await create('32');
    await create('33');
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    const fill = (prefix: string, count: number) =>
      client.query(
        'INSERT INTO identifier (naming_authority_id, guid) SELECT (SELECT id FROM naming_authority WHERE prefix = $1), gen_random_uuid() FROM generate_series(1, $2)',
        [prefix, count],
      );
    await fill('32', 10_000);
    await fill('33', 60_000);
    await client.query(
      `INSERT INTO identifier (naming_authority_id, guid, state, withdrawn_at, withdrawal_reason_code, withdrawal_reason)
       SELECT (SELECT id FROM naming_authority WHERE prefix = '33'), gen_random_uuid(), 'withdrawn', CURRENT_TIMESTAMP, 'other', 'test' FROM generate_series(1, 7)`,
    );
    await client.query('VACUUM ANALYZE identifier');
    const plan = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${COUNT}`, [['32', '33', '31'], 10_001]);
    await client.end();
    const text = JSON.stringify(plan.rows);
    expect(text).not.toContain('Seq Scan');
    const read = [...text.matchAll(/"Actual Rows":([0-9.]+)/g)].map(([, rows]) => Number(rows));
    expect(Math.max(...read)).toBeGreaterThan(6000);
    expect(Math.max(...read)).toBeLessThanOrEqual(10_001);
    const counts = async (prefix: string) => (await service.client.get(`/naming-authorities/${prefix}`)).body.counts;
    expect((await counts('32')).active).toEqual({ value: 10_000, isExact: true });
    const { reserved, active, withdrawn } = await counts('33');
    expect(reserved).toEqual({ value: 0, isExact: true });
    expect(withdrawn).toEqual({ value: 7, isExact: true });
    expect(active.isExact).toBe(false);
    expect(active.value).toBeGreaterThan(48_000);
    expect(active.value).toBeLessThan(72_000);
  });

  it('reads of each naming authority no rows of another one, with and without statistics of the table', async () => {
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    const prefixes = Array.from({ length: 200 }, (_, n) => `40.${n}`);
    await client.query('INSERT INTO naming_authority (prefix) SELECT unnest($1::text[])', [prefixes]);
    // The rows of each naming authority are in all parts of the table.
    await client.query(
      `INSERT INTO identifier (naming_authority_id, guid)
       SELECT a.id, gen_random_uuid() FROM generate_series(1, 50000) n JOIN naming_authority a ON a.prefix = '40.' || n % 200`,
    );
    // So many that reading those of all naming authorities for each one would cost more.
    await client.query(
      `INSERT INTO identifier (naming_authority_id, guid, state, withdrawn_at, withdrawal_reason_code, withdrawal_reason)
       SELECT a.id, gen_random_uuid(), 'withdrawn', CURRENT_TIMESTAMP, 'other', 'test'
       FROM generate_series(1, 20000) n JOIN naming_authority a ON a.prefix = '40.' || n % 200`,
    );
    const expectIndexOnly = async () => {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${COUNT}`, [prefixes, 10_001]);
      const nodes: any[] = [];
      const walk = (plan: any): void => {
        if (plan['Relation Name'] === 'identifier') nodes.push(plan);
        plan.Plans?.forEach(walk);
      };
      walk(rows[0]['QUERY PLAN'][0].Plan);
      expect(new Set(nodes.map((node) => node['Node Type']))).toEqual(new Set(['Index Only Scan']));
      expect(nodes.filter((node) => node['Rows Removed by Filter'] > 0)).toEqual([]);
    };
    await expectIndexOnly();
    await client.query('ANALYZE identifier');
    await expectIndexOnly();
    await client.end();
    const page = await service.client.get('/naming-authorities?limit=1000');
    const counted = page.body.items.filter(({ namingAuthority }: { namingAuthority: string }) =>
      namingAuthority.startsWith('40.'),
    );
    expect(counted).toHaveLength(200);
    for (const { counts } of counted) {
      expect(counts.active).toEqual({ value: 250, isExact: true });
      expect(counts.withdrawn).toEqual({ value: 100, isExact: true });
    }
  });

  it.each([
    ['limit=0', 'INVALID_REQUEST'],
    ['limit=1001', 'INVALID_REQUEST'],
    ['cursor=', 'INVALID_CURSOR'],
    ['cursor=!', 'INVALID_CURSOR'],
    ['cursor=AA', 'INVALID_CURSOR'],
    ['cursor=_w', 'INVALID_CURSOR'],
    ['state=active', 'INVALID_REQUEST'],
  ])('rejects ?%s with %s', async (query, code) => {
    const answer = await service.client.get(`/naming-authorities?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });
});
