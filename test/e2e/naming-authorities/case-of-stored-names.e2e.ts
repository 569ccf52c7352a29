import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { NamingAuthorityWriter } from '../../../dist/storage/naming-authorities/naming-authority-writer.js';
import { Transactions } from '../../../dist/storage/transactions.js';
import { authoritiesOf, freshPrefix } from '../harness/naming-authorities.js';
import { useService } from '../harness/service.js';

const service = useService();
const { create, created, patch } = authoritiesOf(service);

const mint = (fields: object) => service.client.post('/identifiers', { namingAuthority: '100.102', ...fields });

/** The ways to store a name of a naming authority that does not exist. */
const WAYS: [string, (name: string) => Promise<{ status: number }>][] = [
  ['a metadata ID', (metadataId) => mint({ metadataId })],
  ['an alternate identifier', (name) => mint({ alternateIds: [name] })],
  ['a previous version', (previousVersion) => mint({ previousVersion })],
];

const rejection = (value: boolean) => ({
  code: 'READ_ONLY_MEMBER',
  errors: [
    { pointer: '/caseInsensitive', detail: expect.stringMatching(`^must be ${value}: identifiers under this prefix`) },
  ],
});

describe('a naming authority whose rule of case differs from the one by which names under its prefix were stored', () => {
  it.each(WAYS)('is not created: %s', async (_, store) => {
    const prefix = freshPrefix();
    expect((await store(`${prefix}/MeTa`)).status).toBe(201);
    const rejected = await create({ namingAuthority: prefix, profile: 'handle', caseInsensitive: true });
    expect([rejected.status, rejected.body]).toMatchObject([422, rejection(false)]);
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    const changed = await patch(prefix, { caseInsensitive: true });
    expect([changed.status, changed.body]).toMatchObject([422, rejection(false)]);
  });

  it('is decided without a read of identifiers, of which there can be millions', async () => {
    const [holder, session] = [0, 1].map(() => new pg.Client({ connectionString: service.database.url }));
    const pool = new pg.Pool({ connectionString: service.database.url, max: 1, options: '-c lock_timeout=1000' });
    const writer = new NamingAuthorityWriter(new Transactions(pool, pool));
    await Promise.all([holder!.connect(), session!.connect()]);
    try {
      await holder!.query('BEGIN; LOCK TABLE identifier, alternate_identifier');
      await session!.query("SET lock_timeout = '1s'; BEGIN");
      const settings = {
        profile: 'handle',
        state: 'active',
        caseInsensitive: true,
        storesHandleValues: false,
      } as const;
      const others = {
        sandbox: false,
        metadataIdScheme: 'recognized',
        uuidVersion: 4,
        targetTemplate: null,
        resolver: null,
      } as const;
      const prefix = freshPrefix();
      const made = await writer.create(session!, { client: 'a', keyId: null }, { prefix, ...settings, ...others });
      expect(made).toMatchObject({ prefix, caseInsensitive: true });
    } finally {
      await Promise.all([holder!.end(), session!.end(), pool.end()]);
    }
  });

  it('is rejected the other rule before writes of names are locked', async () => {
    const prefix = freshPrefix();
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    expect((await mint({ metadataId: `${prefix}/MeTa` })).status).toBe(201);
    const writer = new pg.Client({ connectionString: service.database.url });
    await writer.connect();
    try {
      await writer.query('BEGIN; LOCK TABLE identifier IN ROW EXCLUSIVE MODE');
      const rejected = await patch(prefix, { caseInsensitive: true });
      expect([rejected.status, rejected.body]).toMatchObject([422, rejection(false)]);
    } finally {
      await writer.end();
    }
  });

  it('is not created for a DOI either, whose default ignores case', async () => {
    const prefix = `10.${freshPrefix()}`;
    const first = await mint({ metadataId: `doi:${prefix}/AbC` });
    const rejected = await create({ namingAuthority: prefix, profile: 'handle', caseInsensitive: false });
    expect([rejected.status, rejected.body]).toMatchObject([422, rejection(true)]);
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    const again = await mint({ metadataId: `doi:${prefix}/aBc` });
    expect([again.status, again.body.identifier]).toEqual([200, first.body.identifier]);
  });

  it('is created where no key depends on case, and one metadata ID has one identifier afterwards', async () => {
    const [prefix, hex] = [freshPrefix(), randomUUID().replaceAll('-', '')];
    const names = [`${prefix}/META-%2F`, `${prefix}/${hex}`, `${prefix}1/meta`];
    const before = await Promise.all(names.map((metadataId) => mint({ metadataId })));
    expect(before.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await mint({ alternateIds: [`${prefix}/${randomUUID()}`] })).status).toBe(201);
    const settings = { namingAuthority: prefix, profile: 'handle', caseInsensitive: true };
    expect((await create(settings)).status).toBe(201);
    const after = await mint({ metadataId: `${prefix}/meta-%2F` });
    expect([after.status, after.body.identifier]).toEqual([200, before[0]?.body.identifier]);
  });

  it('is created where a text of the scheme "any" looks like such a name', async () => {
    const [opaque, prefix] = [await created({ metadataIdScheme: 'any' }), freshPrefix()];
    const metadataId = `hdl:${prefix}/MeTa`;
    expect((await service.client.post('/identifiers', { namingAuthority: opaque, metadataId })).status).toBe(201);
    expect((await create({ namingAuthority: prefix, profile: 'handle', caseInsensitive: true })).status).toBe(201);
  });
});
