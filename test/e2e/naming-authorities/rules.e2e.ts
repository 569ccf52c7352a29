import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { authoritiesOf, freshPrefix } from '../harness/naming-authorities.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

// Two processes on one database: the rules that one changes apply to what the other writes.
const service = useService();
const { create, patch, show, created } = authoritiesOf(service);
let otherServer: TestServer;
let other: Client;

beforeAll(async () => {
  otherServer = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
  other = new Client(otherServer.url);
});
afterAll(() => otherServer.stop());

const outcomeOf = ({ status, body }: { status: number; body: any }) => [
  status,
  body.code,
  (body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer),
];

describe('the rules of a naming authority without identifiers', () => {
  it('can be changed: a prefix of DSpace that was created as "cordra" takes its names then', async () => {
    const prefix = await created();
    const rejected = await service.client.post('/identifiers', { namingAuthority: prefix, localName: '11/247' });
    expect([rejected.status, rejected.body.code]).toEqual([422, 'WRONG_PROFILE']);
    const changed = await patch(prefix, { profile: 'handle', storesHandleValues: true }, { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({ profile: 'handle', storesHandleValues: true, version: 2 });
    for (const [client, localName] of [
      [other, '11/247'],
      [service.client, '11/248'],
    ] as const) {
      expect((await client.post('/identifiers', { namingAuthority: prefix, localName })).status).toBe(201);
    }
    const history = await query<{ patch: string }>(
      service.database.url,
      `SELECT patch FROM change WHERE version = 2 AND identifier_id IS NULL
         AND naming_authority_id = (SELECT id FROM naming_authority WHERE prefix = $1)`,
      [prefix],
    );
    expect(JSON.parse(history[0]?.patch ?? '')).toEqual([
      { op: 'replace', path: '/profile', value: 'handle' },
      { op: 'replace', path: '/storesHandleValues', value: true },
    ]);
  });

  it.each([
    ['caseInsensitive', true],
    ['sandbox', true],
    ['metadataIdScheme', 'any'],
  ])('are each changed by themselves: %s', async (member, value) => {
    const prefix = await created();
    expect((await patch(prefix, { [member]: value })).body).toMatchObject({ [member]: value, version: 2 });
    expect((await other.get(`/naming-authorities/${prefix}`)).body).toMatchObject({ [member]: value });
  });

  it('are rejected where they contradict each other or the prefix, as in a creation', async () => {
    const prefix = await created();
    expect(outcomeOf(await patch(prefix, { storesHandleValues: true }))).toEqual([
      400,
      'INVALID_REQUEST',
      ['/storesHandleValues'],
    ]);
    await create({ namingAuthority: 'Lib-7', profile: 'handle' });
    expect(outcomeOf(await patch('Lib-7', { profile: 'cordra' }))).toEqual([
      ...[400, 'INVALID_NAMING_AUTHORITY', ['/namingAuthority']],
    ]);
    expect(outcomeOf(await patch(prefix, { profile: 'doi' }))).toEqual([400, 'INVALID_REQUEST', ['/profile']]);
    expect((await show(prefix)).body.version).toBe(1);
  });
});

describe('the rules of a naming authority with names', () => {
  const mint = (namingAuthority: string, fields: object = {}) =>
    service.client.post('/identifiers', { namingAuthority, ...fields });

  it.each([
    ['an active identifier', (prefix: string) => mint(prefix)],
    [
      'a reservation',
      (namingAuthority: string) =>
        service.client.post('/reservations', { namingAuthority, count: 1, leaseUntil: '2999-01-01T00:00:00Z' }),
    ],
    [
      'a withdrawn identifier',
      async (prefix: string) => {
        const { identifier } = (await mint(prefix)).body;
        return service.client.post(`/identifiers/${identifier}/withdraw`, { reason: 'A test.' });
      },
    ],
    [
      'the user of an API key',
      (prefix: string) =>
        service.client.post('/api-keys', {
          client: 'dspace',
          namingAuthorities: null,
          scopes: ['mint'],
          handleUser: `300:${prefix}/ADMIN`,
        }),
    ],
    [
      'an alternate identifier under another naming authority',
      async (prefix: string) =>
        mint(await created(), { alternateIds: [`${prefix}/f58fb49e-b1f8-48f0-a606-e84cef294be5`] }),
    ],
  ])('are kept by %s', async (_, make) => {
    const prefix = await created();
    expect((await make(prefix)).status).toBeLessThan(300);
    const fields = { profile: 'handle', sandbox: true, caseInsensitive: false, uuidVersion: 7 };
    expect(outcomeOf(await patch(prefix, fields))).toEqual([422, 'READ_ONLY_MEMBER', ['/profile', '/sandbox']]);
    expect((await show(prefix)).body).toMatchObject({ profile: 'cordra', sandbox: false, uuidVersion: 4, version: 1 });
    const whole = (await show(prefix)).body;
    expect((await patch(prefix, { ...whole, uuidVersion: 7 })).status).toBe(200);
  });

  it('are kept by the database too, which permits no other change of what a naming authority is', async () => {
    const prefix = await created();
    const set = (assignment: string) =>
      query(service.database.url, `UPDATE naming_authority SET ${assignment} WHERE prefix = $1`, [prefix]);
    await set('sandbox = true');
    await expect(set(`prefix = prefix || '9'`)).rejects.toThrow('is rejected');
    await expect(set('id = id + 100000')).rejects.toThrow('is rejected');
    await mint(prefix);
    for (const assignment of [
      ...["profile = 'handle'", 'case_insensitive = true', 'sandbox = false', "metadata_id_scheme = 'any'"],
      "profile = 'handle', stores_handle_values = true",
    ]) {
      await expect(set(assignment)).rejects.toThrow('the rules of the naming authority');
    }
    await set("state = 'suspended', profile = profile");
    await expect(
      query(service.database.url, 'DELETE FROM naming_authority WHERE prefix = $1', [prefix]),
    ).rejects.toThrow('is rejected');
  });
});

describe('a change of the rules while names are written', () => {
  const INSERT = `
    INSERT INTO identifier (naming_authority_id, guid, client)
    SELECT id, gen_random_uuid(), 'open' FROM naming_authority WHERE prefix = $1`;

  /** Runs `work` while a transaction that has written an identifier under `prefix` is open. */
  const whileMinting = async (prefix: string, work: (end: (sql: string) => Promise<unknown>) => Promise<void>) => {
    const session = new pg.Client({ connectionString: service.database.url });
    await session.connect();
    try {
      await session.query('BEGIN; UPDATE position_gate SET id = id WHERE false');
      await session.query(INSERT, [prefix]);
      await work((sql) => session.query(sql));
    } finally {
      await session.end();
    }
  };

  it.each([
    ['COMMIT', 422],
    ['ROLLBACK', 200],
  ])('waits for a mint in flight, and sees its end: %s', async (end, status) => {
    const prefix = await created();
    await whileMinting(prefix, async (finish) => {
      const changing = patch(prefix, { profile: 'handle' });
      expect(await Promise.race([changing.then(() => 'changed'), pause(300, 'waits')])).toBe('waits');
      await finish(end);
      expect((await changing).status).toBe(status);
    });
  });

  it('does not wait for a vacuum of the tables of names', async () => {
    const prefix = await created({ profile: 'handle' });
    const session = new pg.Client({ connectionString: service.database.url });
    await session.connect();
    try {
      // The lock of VACUUM, ANALYZE and CREATE INDEX CONCURRENTLY.
      await session.query(
        'BEGIN; LOCK TABLE identifier, handle_user, alternate_identifier IN SHARE UPDATE EXCLUSIVE MODE',
      );
      expect((await patch(prefix, { storesHandleValues: true })).status).toBe(200);
    } finally {
      await session.end();
    }
  });

  it('takes effect beside another one', async () => {
    const prefixes = await Promise.all(Array.from({ length: 6 }, () => created()));
    const changed = await Promise.all(prefixes.map((prefix) => patch(prefix, { profile: 'handle' })));
    expect(changed.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  it('is rejected after two seconds, before it holds up the mints of others for longer', async () => {
    const [prefix, busy] = [await created(), await created()];
    await whileMinting(busy, async (finish) => {
      const changing = patch(prefix, { profile: 'handle' });
      await pause(300);
      const minted = other.mint({ namingAuthority: busy });
      const rejected = await changing;
      expect([rejected.status, rejected.body.code]).toEqual([503, 'CONFLICT_IN_PROGRESS']);
      expect((await minted).status).toBe(201);
      await finish('ROLLBACK');
      expect((await patch(prefix, { profile: 'handle' })).status).toBe(200);
    });
  });

  it('leaves every name compared by the rules that hold, whichever came first: mints, imports and users', async () => {
    const writes: ((client: Client, prefix: string, name: string) => Promise<{ status: number; body: any }>)[] = [
      (client, prefix, localName) => client.post('/identifiers', { namingAuthority: prefix, localName }),
      (client, prefix, name) =>
        client.send(
          ...(['POST', '/identifiers/import', { 'content-type': 'application/x-ndjson' }] as const),
          `${JSON.stringify({ ...IMPORTED, identifier: `${prefix}/${name}` })}\n`,
        ),
      (client, prefix, name) =>
        client.post('/api-keys', {
          client: 'dspace',
          namingAuthorities: null,
          scopes: ['mint'],
          handleUser: `300:${prefix}/${name}`,
        }),
    ];
    for (let round = 0; round < 12; round++) {
      const prefix = freshPrefix();
      await create({ namingAuthority: prefix, profile: 'handle' });
      // Both caches know the naming authority as it is now.
      await Promise.all([other, service.client].map((client) => client.get(`/naming-authorities/${prefix}`)));
      const written = [0, 1, 2].map((index) =>
        writes[round % writes.length]!(index % 2 === 0 ? other : service.client, prefix, `abc-${index}`),
      );
      const changed = await patch(prefix, { caseInsensitive: true });
      await Promise.all(written);
      expect([200, 422, 503]).toContain(changed.status);
      const { caseInsensitive } = (await show(prefix)).body;
      expect(caseInsensitive).toBe(changed.status === 200);
      const wrong = await query(
        service.database.url,
        `SELECT name, key FROM (
           SELECT i.local_name AS name, i.local_key AS key, n.case_insensitive FROM identifier i JOIN naming_authority n ON n.id = i.naming_authority_id
           WHERE n.prefix = $1
           UNION ALL SELECT u.local_name, u.local_key, n.case_insensitive FROM handle_user u JOIN naming_authority n ON n.id = u.naming_authority_id
           WHERE n.prefix = $1
         ) names WHERE key <> encode(substring(sha256(convert_to(CASE WHEN case_insensitive THEN upper(name) ELSE name END, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid`,
        [prefix],
      );
      expect([round, wrong]).toEqual([round, []]);
    }
  });
});

const IMPORTED = {
  ...{ metadataId: null, target: null, alternateIds: [], state: 'active', version: 1 },
  ...{ createdAt: '2026-01-02T03:04:05.000Z', updatedAt: '2026-01-02T03:04:05.000Z' },
};
