import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { useService } from '../harness/service.js';
import { runStep } from './tenants/commands.js';
import { anyStep } from './tenants/step.js';
import { Ownership, TENANTS, type Tenant } from './tenants/tenant.js';
import { Real } from './tenants/real.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);

const service = useService({
  ACCESS: 'keys',
  ADMIN_API_KEY: ADMIN_KEY,
  PUBLIC_READ: 'false',
  NAMING_AUTHORITIES: TENANTS.flatMap(({ prefixes }) => prefixes).join(','),
});

/** All data stored under each naming authority. */
const WRITTEN = `
  SELECT prefix, md5(string_agg(fact, E'\\n' ORDER BY fact)) AS digest FROM (
    SELECT prefix, i::text AS fact FROM identifier i JOIN naming_authority n ON n.id = naming_authority_id
    UNION ALL SELECT prefix, a::text FROM alternate_identifier a JOIN naming_authority n ON n.id = naming_authority_id
    UNION ALL SELECT prefix, c::text FROM change c JOIN naming_authority n ON n.id = naming_authority_id
    UNION ALL SELECT prefix, n::text FROM naming_authority n
  ) AS facts GROUP BY prefix ORDER BY prefix`;

const ownership = new Ownership();
const keys = new Map<Tenant, Record<string, string>>();

async function createKey(fields: object): Promise<Record<string, string>> {
  const { status, body } = await service.client.post('/api-keys', fields, ADMIN);
  expect(status).toBe(201);
  return bearer(body.secret);
}

beforeAll(async () => {
  for (const tenant of TENANTS) {
    const { client, scopes, grants } = tenant;
    keys.set(tenant, await createKey({ client, scopes, namingAuthorities: grants }));
    const { body } = await service.client.get('/api-keys?limit=1000', ADMIN);
    ownership.own(tenant, body.items.find((key: any) => key.client === client).id);
  }
});

/** Digests of the data of others than a tenant; prefixes derived from its own belong to it. */
async function ofOthers(tenant: Tenant, database: pg.Client): Promise<object[]> {
  const { rows } = await database.query<{ prefix: string; digest: string }>(WRITTEN);
  return rows.filter(({ prefix }) => !tenant.prefixes.some((own) => prefix === own || prefix.startsWith(`${own}.`)));
}

describe('where reading is closed', () => {
  it('no response has data of another tenant, no step changes it, and idempotency keys are independent', async () => {
    const database = new pg.Client({ connectionString: service.database.url });
    await database.connect();
    const interleaving = fc.asyncProperty(fc.array(anyStep, { maxLength: 20, size: 'max' }), async (steps) => {
      const real = new Real(service.server.url, keys, ownership);
      for (const step of steps) {
        const tenant = TENANTS[step.tenant]!;
        const before = step.kind === 'mintAtOnce' ? null : await ofOthers(tenant, database);
        await runStep(real, step);
        if (before !== null) expect(await ofOthers(tenant, database)).toEqual(before);
      }
    });
    // Data of earlier runs is still there, so a failing run cannot be shrunk.
    await fc.assert(interleaving, { numRuns: 100, endOnFailure: true }).finally(() => database.end());
  });

  it('a principal that sees everything finds the searched data: the property is not empty', async () => {
    const [tenant] = TENANTS;
    for (const path of ['/identifiers?limit=1000', '/events?limit=1000', '/naming-authorities', '/api-keys']) {
      const answer = await service.client.get(path, ADMIN);
      expect([path, ownership.leaks(tenant!, '', answer).length > 0]).toEqual([path, true]);
    }
  });

  it('a replay is returned to a key that covers it, not to every key of the client', async () => {
    const [wide, narrow] = await Promise.all([
      createKey({ client: 'two-keys', scopes: ['mint'], namingAuthorities: [{ namingAuthority: '300.4711' }] }),
      createKey({ client: 'two-keys', scopes: ['mint'], namingAuthorities: [{ namingAuthority: '100.4711' }] }),
    ]);
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const wanted = { namingAuthority: '300.4711', count: 1, leaseUntil };
    const { id } = (await service.client.post('/reservations', wanted, wide)).body;
    const once = { 'idempotency-key': 'release' };
    const [first, repeat, hidden] = [
      await service.client.post(`/reservations/${id}/release`, {}, { ...wide, ...once }),
      await service.client.post(`/reservations/${id}/release`, {}, { ...wide, ...once }),
      await service.client.post(`/reservations/${id}/release`, {}, { ...narrow, ...once }),
    ];
    expect([first.status, repeat.text]).toEqual([200, first.text]);
    expect([hidden.status, hidden.body.code]).toEqual([404, 'RESERVATION_NOT_FOUND']);
  });

  it('a batch does not reveal whether a naming authority of another tenant exists', async () => {
    const [{ prefixes }] = TENANTS as [Tenant];
    const key = await createKey({ client: 'curious', scopes: ['mint'], namingAuthorities: [{ namingAuthority: '1' }] });
    const answers = await Promise.all(
      [prefixes[0], '4711.4711'].map(async (namingAuthority = '') => {
        const answer = await service.client.post('/identifiers/batch', { namingAuthority, count: 1 }, key);
        return [answer.status, answer.text.replaceAll(namingAuthority, '')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[1]).toContain('NAMING_AUTHORITY_FORBIDDEN');
  });
});
