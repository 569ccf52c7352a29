import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { NamingAuthorityWriter as Writer } from '../../../dist/storage/naming-authorities/naming-authority-writer.js';
import { NamingAuthorityWriter } from '../../../dist/storage/naming-authorities/naming-authority-writer.js';
import { IdentifierUpdater } from '../../../dist/storage/identifiers/identifier-updater.js';
import type { Amendment } from '../../../dist/registry/lifecycle.js';
import { IdentifierReader } from '../../../dist/storage/identifiers/identifier-reader.js';
import { NamingAuthoritySnapshot } from '../../../dist/registry/naming-authority-snapshot.js';
import { Transactions } from '../../../dist/storage/transactions.js';
import { toResolver } from '@mintmark/identifier';
import { query, withoutTriggers } from '../harness/database.js';
import { useService } from '../harness/service.js';

// Real: the service, its database, and the classes that change identifiers, which this test calls directly.
let pool: pg.Pool;
afterAll(() => pool.end());

// The sweep would record the expiry of a lease.
const service = useService({ RESERVATION_SWEEP_INTERVAL_MS: '86400000' });
beforeAll(() => {
  pool = new pg.Pool({ connectionString: service.database.url });
});

const CURATOR = { client: 'curator', keyId: '9d3e1c52-0c55-4ba5-8f0e-6a5f5d2f0c77' };
const RESOLVER = toResolver({ scheme: 'http', authority: 'hdl.handle.net' });

/** Changes an identifier once, as a curator. */
async function amend(identifier: string, amendment: Amendment): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM identifier_record WHERE naming_authority || '/' || upper(replace(guid::text, '-', '')) = $1`,
    [identifier],
  );
  const changes = new IdentifierUpdater(new IdentifierReader(pool));
  await new Transactions(pool, pool).run(async (transaction) => {
    const { now, records } = await changes.lock(transaction, [BigInt(rows[0]!.id)]);
    const requested = records.map((record) => ({ record, amendment }));
    return changes.write(transaction, CURATOR, now, requested);
  });
}

const named = (text: string) => {
  const read = new NamingAuthoritySnapshot([], RESOLVER).readName(text);
  if (!read.ok) throw new Error(read.fault.detail);
  return read.value;
};

/** Applies the operations of JSON Patch (RFC 6902) that the service uses to a document, which is initially absent. */
function patched(document: any, patch: { op: string; path: string; value: unknown }[]): any {
  return patch.reduce((now, { op, path, value }) => {
    if (op === 'add' && path === '' && now === undefined) return value;
    const name = path.slice(1);
    if (op !== 'replace' || !/^\/[A-Za-z]+$/.test(path) || !(name in now)) throw new Error(`${op} ${path}`);
    return { ...now, [name]: value };
  }, document);
}

const history = async (path: string) => (await service.client.get(`/identifiers/${path}/history`)).body;

const withdrawal: Amendment = {
  kind: 'withdrawn',
  state: 'withdrawn',
  tombstone: {
    withdrawnAt: new Date('2026-11-20T09:30:00Z'),
    reasonCode: 'duplicate',
    reason: 'The object was deposited twice.',
    replacedBy: null,
  },
};

describe('GET /identifiers/{identifier}/history', () => {
  it('has time, client and patch of every change, newest last', async () => {
    const { identifier, createdAt } = (await service.client.mint({ target: 'https://a.org/1' })).body;
    await amend(identifier, { kind: 'changed', target: 'https://a.org/2' });
    const { items, next } = await history(identifier);
    expect(next).toBeNull();
    expect(items).toEqual([
      {
        version: 1,
        kind: 'minted',
        at: createdAt,
        client: 'anonymous',
        keyId: null,
        patch: [
          {
            op: 'add',
            path: '',
            value: {
              metadataId: null,
              target: 'https://a.org/1',
              language: null,
              alternateIds: [],
              previousVersion: null,
              handleValues: null,
              state: 'active',
              leaseUntil: null,
              tombstone: null,
            },
          },
        ],
      },
      {
        version: 2,
        kind: 'changed',
        at: expect.stringMatching(/Z$/),
        client: 'curator',
        keyId: '9d3e1c52-0c55-4ba5-8f0e-6a5f5d2f0c77',
        patch: [{ op: 'replace', path: '/target', value: 'https://a.org/2' }],
      },
    ]);
  });

  it('is found by any form, and for a withdrawn identifier too', async () => {
    const { identifier, uris } = (await service.client.mint()).body;
    await amend(identifier, withdrawal);
    expect((await service.client.get(`/identifiers/${identifier}`)).status).toBe(410);
    const spellings = [identifier, identifier.toLowerCase(), uris.cordraHost, uris.infoHdl, uris.resolver];
    for (const spelling of spellings.slice(0, 2)) expect((await history(spelling)).items).toHaveLength(2);
    for (const spelling of spellings) expect((await history(encodeURIComponent(spelling))).items).toHaveLength(2);
  });

  it('leads from page to page', async () => {
    const { identifier } = (await service.client.mint()).body;
    for (let n = 2; n <= 5; n++) await amend(identifier, { kind: 'changed', target: `https://a.org/${n}` });
    const versions: number[][] = [];
    for (let path: string | undefined = `/identifiers/${identifier}/history?limit=2`; path !== undefined;) {
      const page: Awaited<ReturnType<typeof service.client.get>> = await service.client.get(path);
      versions.push(page.body.items.map(({ version }: { version: number }) => version));
      const link: string | null = page.headers.get('link');
      expect(link === null).toBe(page.body.next === null);
      path = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1];
    }
    expect(versions).toEqual([[1, 2], [3, 4], [5]]);
    const whole = await service.client.get(`/identifiers/${identifier}/history?limit=5`);
    expect([whole.body.items.length, whole.body.next, whole.headers.get('link')]).toEqual([5, null, null]);
  });

  it('has no entry for an expired reservation whose expiry is not recorded', async () => {
    const leaseUntil = new Date(Date.now() + 86_400_000).toISOString();
    const { identifier } = (await service.client.mint({ state: 'reserved', leaseUntil })).body;
    await query(
      withoutTriggers(service.database.url),
      `UPDATE identifier SET lease_until = now() - interval '1 second' WHERE guid = '${identifier.slice(8)}'`,
    );
    expect((await service.client.get(`/identifiers/${identifier}`)).status).toBe(410);
    expect((await history(identifier)).items.map(({ kind }: { kind: string }) => kind)).toEqual(['reserved']);
  });

  it.each([
    [`100.102/${'0'.repeat(32)}`, '', 404, 'IDENTIFIER_NOT_FOUND'],
    ['100.102/report-7', '', 400, 'INVALID_GUID'],
    ['demo:7', '', 404, 'IDENTIFIER_NOT_FOUND'],
    [`100.102/${'0'.repeat(32)}`, '?cursor=x', 400, 'INVALID_CURSOR'],
    [`100.102/${'0'.repeat(32)}`, `?cursor=${Buffer.from('2147483648').toString('base64url')}`, 400, 'INVALID_CURSOR'],
    [`100.102/${'0'.repeat(32)}`, `?cursor=${Buffer.from('1 2').toString('base64url')}`, 400, 'INVALID_CURSOR'],
    [`100.102/${'0'.repeat(32)}`, '?limit=1001', 400, 'INVALID_REQUEST'],
  ])('rejects %s/history%s', async (path, query, status, code) => {
    const answer = await service.client.get(`/identifiers/${path}/history${query}`);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('the patches of an identifier, from nothing', () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const lives: [string, object, Amendment[]][] = [
    ['minted', {}, []],
    [
      'minted with everything',
      { metadataId: '1234/Abc', target: 'https://a.org/', language: 'de', alternateIds: ['demo:31'] },
      [],
    ],
    ['reserved', { state: 'reserved', leaseUntil: soon }, []],
    [
      'reserved and activated',
      { state: 'reserved', leaseUntil: soon },
      [{ kind: 'activated', state: 'active', leaseUntil: null }],
    ],
    [
      'changed in every member, and back',
      { metadataId: '1234/x', target: 'https://a.org/', alternateIds: ['demo:41', 'demo:42'] },
      [
        { kind: 'changed', metadata: named('1234/y'), target: null, alternates: [named('demo:43')] },
        { kind: 'changed', metadata: null, alternates: [] },
        { kind: 'changed', metadata: named('1234/ä ö'), target: 'https://a.org/?q=%C3%A4' },
      ],
    ],
    ['withdrawn', { metadataId: '1234/z' }, [withdrawal]],
    ['withdrawn and reinstated', {}, [withdrawal, { kind: 'reinstated', state: 'active', tombstone: null }]],
  ];

  it.each(lives)('result in the members of its representation: %s', async (_, fields, amendments) => {
    const { identifier } = (await service.client.mint(fields)).body;
    for (const amendment of amendments) await amend(identifier, amendment);
    const answer = (await service.client.get(`/identifiers/${identifier}`)).body;
    // GET of a withdrawn identifier returns its tombstone only; the list contains all of it.
    const listed = (await service.client.get('/identifiers?limit=1000')).body.items;
    const shown = listed.find((item: { identifier: string }) => item.identifier === identifier);
    const { items } = await history(identifier);
    const document = items.reduce((now: unknown, { patch }: any) => patched(now, patch), undefined);
    const { metadataId, target, language, alternateIds, previousVersion, handleValues, state, leaseUntil, tombstone } =
      shown;
    expect(document).toEqual({
      metadataId,
      target,
      language,
      alternateIds,
      previousVersion,
      handleValues,
      state,
      leaseUntil,
      tombstone,
    });
    expect(document.tombstone).toEqual(answer.tombstone);
    expect(items.map(({ version }: { version: number }) => version)).toEqual(
      amendments.map((__, n) => n + 1).concat(amendments.length + 1),
    );
    expect(shown.version).toBe(items.length);
  });
});

describe('GET /naming-authorities/{namingAuthority}/history', () => {
  it('has every change of its settings, and none of its identifiers', async () => {
    await service.client.mint();
    const writer: Writer = new NamingAuthorityWriter(new Transactions(pool, pool));
    await new Transactions(pool, pool).run(async (transaction) => {
      const locked = await writer.lock(transaction, '100.102');
      return writer.change(transaction, CURATOR, locked!, { state: 'suspended' });
    });
    const { body } = await service.client.get('/naming-authorities/100.102/history');
    expect(body).toMatchObject({
      items: [
        { version: 1, kind: 'created', client: 'service', patch: [{ op: 'add', path: '' }] },
        { version: 2, client: 'curator', patch: [{ op: 'replace', path: '/state', value: 'suspended' }] },
      ],
      next: null,
    });
    const page = await service.client.get('/naming-authorities/100.102/history?limit=1');
    const foreign = await service.client.get(`/naming-authorities/2000.01/history?cursor=${page.body.next}`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 'INVALID_CURSOR']);
    const own = await service.client.get(`/naming-authorities/100.102/history?cursor=${page.body.next}`);
    expect(own.body.items.map(({ version }: { version: number }) => version)).toEqual([2]);
    expect(page.headers.get('link')).toBe(
      `</naming-authorities/100.102/history?limit=1&cursor=${page.body.next}>; rel="next"`,
    );
  });

  it.each([
    ['100.103', 404, 'NAMING_AUTHORITY_NOT_FOUND'],
    ['100..102', 400, 'INVALID_NAMING_AUTHORITY'],
  ])('rejects %s', async (prefix, status, code) => {
    const answer = await service.client.get(`/naming-authorities/${prefix}/history`);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});
