import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { exchange } from '../harness/exchange.js';
import { ADMIN, useLimitedServices } from '../harness/limited-services.js';

const services = useLimitedServices();

const VALUES = JSON.stringify([{ index: 1, type: 'URL', data: 'https://repo.example.org/1' }]);
const USER = '300:2050/ADMIN';

let client = {} as Client;

interface KeyRequest {
  readonly client?: string;
  readonly handleUser?: string;
  readonly expiresAt?: string;
  readonly scopes?: string[];
  readonly namingAuthorities?: object[];
}

const createKey = (fields: KeyRequest) =>
  client.post(
    '/api-keys',
    { client: 'b2handle', namingAuthorities: null, scopes: ['read', 'register', 'curate'], ...fields },
    ADMIN,
  );

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

const put = (name: string, headers: Record<string, string>) =>
  exchange(client.base, `/api/handles/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: VALUES,
  });

let secret = '';

beforeAll(async () => {
  client = await services.start({ INTERFACES: 'api,resolver,handles' });
  const settings = { namingAuthority: '2050', profile: 'handle', storesHandleValues: true, caseInsensitive: true };
  expect((await client.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
  const { status, body } = await createKey({ handleUser: '2050/ADMIN' });
  expect([status, body.handleUser]).toEqual([201, USER]);
  secret = body.secret;
});

describe('a key with a user', () => {
  it.each(['300%3A2050/ADMIN', '300%3A2050%2FADMIN', '300:2050/ADMIN', '2050/ADMIN', '300%3A2050/admin'])(
    'writes as %s with the key as its password',
    async (user) => {
      expect((await put('2050/x', basic(user, secret))).status).toBeLessThan(202);
    },
  );

  it.each([
    ['301%3A2050/ADMIN', null],
    ['300%3A2050/OTHER', null],
    ['300%3A100.102/ADMIN', null],
    ['300%3A2050/ADMIN', 'wrong'],
    ['', null],
  ])('is rejected with 401 for the user %s and the password %s', async (user, password) => {
    const { status, headers, text } = await put('2050/x', basic(user, password ?? secret));
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="handle"']);
    expect(JSON.parse(text)).toMatchObject({ responseCode: 402, handle: '2050/x' });
  });

  it('reads with a wrong password no more than it writes', async () => {
    const { status } = await exchange(client.base, '/api/handles/2050/x', { headers: basic('300%3A2050/ADMIN', 'no') });
    expect(status).toBe(401);
  });

  it('is a Bearer key too, and Basic is accepted by no other path', async () => {
    expect((await put('2050/x', { authorization: `Bearer ${secret}` })).status).toBe(200);
    for (const path of ['/identifiers/2050/x', '/identifiers', '/2050/x', '/api-keys']) {
      expect([path, (await exchange(client.base, path, { headers: basic(USER, secret) })).status]).toEqual([path, 401]);
    }
  });

  it('resolves as its Handle, in the spelling of the client, without a secret', async () => {
    const { status, text } = await exchange(client.base, '/api/handles/2050/Admin');
    const { responseCode, handle, values } = JSON.parse(text) as {
      responseCode: number;
      handle: string;
      values: { type: string }[];
    };
    expect([status, responseCode, handle, values.map(({ type }) => type)]).toEqual([
      200,
      1,
      '2050/Admin',
      ['HS_ADMIN'],
    ]);
    expect(text).not.toContain(secret);
  });
});

describe('the Handle of a user', () => {
  it('is shared by the keys of its client, resolves after all of them are revoked, and is of no other client', async () => {
    const first = await createKey({ handleUser: '300:2050/SHARED' });
    const second = await createKey({ handleUser: '200:2050/shared' });
    expect([first.status, second.status]).toEqual([201, 201]);
    const other = await createKey({ client: 'other', handleUser: '300:2050/SHARED' });
    expect([other.status, other.body.code]).toEqual([409, 'HANDLE_USER_TAKEN']);
    for (const { id } of [first.body, second.body]) {
      expect((await client.send('DELETE', `/api-keys/${id}`, ADMIN)).status).toBe(204);
    }
    expect((await exchange(client.base, '/api/handles/2050/SHARED')).status).toBe(200);
    expect((await put('2050/y', basic('2050/SHARED', first.body.secret))).status).toBe(401);
  });

  it('cannot become an identifier, by any way to register', async () => {
    const localName = 'admin';
    const minted = await client.mint({ namingAuthority: '2050', localName }, ADMIN);
    expect([minted.status, minted.body.code]).toEqual([409, 'IDENTIFIER_TAKEN']);
    const batch = await client.post(
      '/identifiers/batch',
      {
        items: [
          { namingAuthority: '2050', localName },
          { namingAuthority: '2050', localName: 'free' },
        ],
      },
      ADMIN,
    );
    expect(batch.body.items).toMatchObject([{ status: 409 }, { status: 201 }]);
    const { status, text } = await put('2050/ADMIN', { authorization: `Bearer ${secret}` });
    expect([status, JSON.parse(text)]).toMatchObject([409, { responseCode: 101, handle: '2050/ADMIN' }]);
    const imported = await exchange(client.base, '/identifiers/import', {
      method: 'POST',
      headers: { ...ADMIN, 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify({
        identifier: '2050/ADMIN',
        ...{ state: 'active', version: 1, createdAt: '2026-11-20T09:30:00Z', updatedAt: '2026-11-20T09:30:00Z' },
      })}\n`,
    });
    expect(imported.text).toContain('"IDENTIFIER_TAKEN"');
  });

  it('cannot be one of an identifier, nor a GUID, nor outside the naming authorities of the key', async () => {
    expect((await client.mint({ namingAuthority: '2050', localName: 'taken' }, ADMIN)).status).toBe(201);
    for (const [handleUser, status, code] of [
      ['300:2050/TAKEN', 409, 'HANDLE_USER_TAKEN'],
      ['300:100.102/F58F7BFE33754A61BD1BE9E57AB19CE9', 400, 'INVALID_REQUEST'],
      ['300:nowhere/ADMIN', 422, 'UNKNOWN_NAMING_AUTHORITY'],
      ['4000000000:2050/BIG', 400, 'INVALID_REQUEST'],
      ['2050', 400, 'MISSING_SEPARATOR'],
    ] as const) {
      const { status: got, body } = await createKey({ handleUser });
      expect([handleUser, got, body.code]).toEqual([handleUser, status, code]);
    }
    const namingAuthorities = [{ namingAuthority: '100.102' }];
    const { status, body } = await createKey({ handleUser: '300:2050/OUTSIDE', namingAuthorities });
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect((await createKey({ handleUser: '300:100.102/ADMIN', namingAuthorities })).status).toBe(201);
  });

  it('is not assigned by a request that is rejected', async () => {
    const rejected = await createKey({ handleUser: '300:100.102/LATE', expiresAt: '2020-01-01T00:00:00Z' });
    expect([rejected.status, rejected.body.code]).toEqual([400, 'INVALID_REQUEST']);
    const key = { ...ADMIN, 'idempotency-key': 'one' };
    const fields = { client: 'b2handle', namingAuthorities: null, scopes: ['read'] };
    expect((await client.post('/api-keys', fields, key)).status).toBe(201);
    const reused = await client.post('/api-keys', { ...fields, handleUser: '300:100.102/LATE' }, key);
    expect([reused.status, reused.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await createKey({ client: 'other', handleUser: '300:100.102/LATE' })).status).toBe(201);
  });

  it('is one of at most 1,000 under a naming authority', async () => {
    await query(
      services.database.url,
      `INSERT INTO handle_user (naming_authority_id, local_key, local_name, client)
       SELECT n.id, gen_random_uuid(), 'U' || g, 'b2handle' FROM naming_authority n, generate_series(1, 1000) g
       WHERE n.prefix = '2000.01'`,
    );
    const { status, body } = await createKey({ handleUser: '300:2000.01/ADMIN' });
    expect([status, body.code, body.detail]).toEqual([400, 'INVALID_REQUEST', expect.stringContaining('1000 users')]);
  });

  it('cannot become an identifier in another process that has not read it', async () => {
    const other = await services.start({ INTERFACES: 'api,handles' });
    expect((await other.mint({ namingAuthority: '2050', localName: 'warm' }, ADMIN)).status).toBe(201);
    const [key, ...mints] = await Promise.all([
      createKey({ handleUser: '2050/RACE' }),
      ...Array.from(
        { length: 30 },
        (_, n) =>
          new Promise<number>((resolve, reject) => {
            setTimeout(() => {
              other.mint({ namingAuthority: '2050', localName: 'race' }, ADMIN).then(({ status }) => {
                resolve(status);
              }, reject);
            }, n * 50);
          }),
      ),
    ]);
    // Either of them has the name.
    expect(key.status === 201).toBe(!mints.includes(201));
  });
});
