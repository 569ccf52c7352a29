import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ndjson, sendChanges } from '../harness/changes.js';
import { Client } from '../harness/client.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const KEYS = { ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);

const service = useService(KEYS);

/** Creates a key and returns its representation with the secret. */
async function createKey(fields: object = {}, client = service.client): Promise<any> {
  const answer = await client.post(
    '/api-keys',
    { client: 'repository', namingAuthorities: null, scopes: ['mint'], ...fields },
    ADMIN,
  );
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('ACCESS=keys', () => {
  it.each([
    ['no key', {}],
    ['a wrong key', bearer('wrong')],
    ['the key under another scheme', { authorization: `Basic ${ADMIN_KEY}` }],
    ['the key with more behind it', bearer(`${ADMIN_KEY}x`)],
    ['two keys', bearer(`${ADMIN_KEY} ${ADMIN_KEY}`)],
    ['a scheme alone', { authorization: 'Bearer' }],
  ])('rejects a mint with %s', async (_, headers: Record<string, string>) => {
    const answer = await service.client.mint({}, headers);
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each(['/identifiers', '/%69dentifiers', '/identifiers/hdl%3A1%2F2/uris'])(
    'lets everybody read %s',
    async (path) => {
      expect((await service.client.get(path)).status).toBe(200);
    },
  );

  it('rejects a wrong key also where none is needed', async () => {
    expect((await service.client.get('/identifiers', bearer('wrong'))).status).toBe(401);
  });

  it('permits the administrator to mint', async () => {
    expect((await service.client.mint({}, ADMIN)).status).toBe(201);
  });

  it.each(['/health/live', '/health/ready', '/problems/NOT_FOUND', '/openapi.json', '/docs'])(
    'shows %s to everyone',
    async (path) => {
      const answer = await fetch(service.server.url + path);
      expect(answer.status).toBe(200);
      await answer.text();
    },
  );

  it('keeps secrets out of the log', async () => {
    const { secret } = await createKey();
    await service.client.mint({}, bearer(secret));
    expect(service.server.stdout()).toContain('"status":201');
    expect(service.server.stdout()).not.toContain(ADMIN_KEY);
    expect(service.server.stdout()).not.toContain(secret);
  });
});

describe('an API key', () => {
  it('has a secret of 256 bits behind a prefix that scanners know, and shows it once', async () => {
    const created = await createKey({ label: 'ingest', scopes: ['mint', 'read'] });
    expect(created.secret).toMatch(/^mm_live_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
    expect(Buffer.from(created.secret.slice(8, 51), 'base64url')).toHaveLength(32);
    const { secret: _, ...rest } = created;
    const read = await service.client.get(`/api-keys/${created.id}`, ADMIN);
    expect(read.body).toEqual(rest);
    const list = await service.client.get('/api-keys?limit=1000', ADMIN);
    expect(list.body.items).toContainEqual(rest);
    expect(list.text).not.toContain(created.secret);
  });

  it('mints for its client, which the history names', async () => {
    const { id, secret } = await createKey({ client: 'library' });
    const minted = await service.client.mint({}, bearer(secret));
    expect(minted.status).toBe(201);
    const history = await service.client.get(`/identifiers/${minted.body.identifier}/history`, ADMIN);
    expect(history.body.items[0]).toMatchObject({ client: 'library', keyId: id });
  });

  it.each([
    ['mint', { guid: '0'.repeat(31) + '1' }, 'register'],
    ['register', {}, 'mint'],
    ['curate', {}, 'mint'],
    ['read', {}, 'mint'],
  ])('with the scope %s alone cannot use operations of other scopes', async (scope, fields, needed) => {
    const { secret } = await createKey({ scopes: [scope] });
    const answer = await service.client.mint(fields, bearer(secret));
    expect([answer.status, answer.body.code]).toEqual([403, 'SCOPE_MISSING']);
    expect(answer.body.detail).toContain(`"${needed}"`);
    expect(answer.headers.get('www-authenticate')).toContain('insufficient_scope');
  });

  it.each([
    ['the one granted', [{ namingAuthority: '100.102' }], '100.102', 201],
    ['another one', [{ namingAuthority: '100.102' }], '2000.01', 403],
    ['one whose name begins the same', [{ namingAuthority: '100.10', derived: true }], '100.102', 403],
    ['a derived one without saying so', [{ namingAuthority: '100' }], '100.102', 403],
    ['a derived one', [{ namingAuthority: '100', derived: true }], '100.102', 201],
    ['one that does not exist', [{ namingAuthority: '7' }], '8', 403],
  ])('covers %s', async (_, namingAuthorities, namingAuthority, status) => {
    const { secret } = await createKey({ namingAuthorities });
    const answer = await service.client.mint({ namingAuthority }, bearer(secret));
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.code).toBe('NAMING_AUTHORITY_FORBIDDEN');
  });

  it('expires', async () => {
    let expiresAt = 0;
    let secret = '';
    // A machine that stands still may use the key too late.
    for (let ms = 1500, status = 401; status === 401 && ms < 30_000; ms *= 2) {
      expiresAt = Date.now() + ms;
      ({ secret } = await createKey({ expiresAt: new Date(expiresAt).toISOString() }));
      ({ status } = await service.client.mint({}, bearer(secret)));
      if (Date.now() < expiresAt) expect(status).toBe(201);
    }
    await pause(expiresAt + 100 - Date.now());
    expect((await service.client.mint({}, bearer(secret))).status).toBe(401);
  });

  it('is distinguished from a typing error by its checksum', async () => {
    const { secret } = await createKey();
    const typo = secret.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'));
    expect((await service.client.mint({}, bearer(typo))).status).toBe(401);
  });

  it('remembers when it was used', async () => {
    const { id, secret, lastUsedAt } = await createKey();
    expect(lastUsedAt).toBeNull();
    const before = Date.now();
    await service.client.mint({}, bearer(secret));
    // The request does not wait until its time is stored.
    const stored = async () => (await service.client.get(`/api-keys/${id}`, ADMIN)).body.lastUsedAt as string | null;
    for (let attempt = 0; attempt < 100 && (await stored()) === null; attempt++) await pause(100);
    const used = Date.parse((await stored())!);
    expect(used).toBeGreaterThanOrEqual(before - 1);
  });

  it('two keys of one client live together, and share its idempotency keys', async () => {
    const [one, two] = [await createKey({ client: 'rotating' }), await createKey({ client: 'rotating' })];
    const key = { 'idempotency-key': 'the-same' };
    const first = await service.client.mint({}, { ...bearer(one.secret), ...key });
    const second = await service.client.mint({}, { ...bearer(two.secret), ...key });
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
    expect(second.text).toBe(first.text);
  });

  it('idempotency keys of two clients are independent', async () => {
    const [one, two] = [await createKey({ client: 'one' }), await createKey({ client: 'two' })];
    const key = { 'idempotency-key': 'chosen-by-both' };
    const first = await service.client.mint({}, { ...bearer(one.secret), ...key });
    const second = await service.client.mint({ target: 'https://b.example.org/' }, { ...bearer(two.secret), ...key });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.identifier).not.toBe(first.body.identifier);
  });

  it('idempotency keys of lines and of parts are independent for two clients', async () => {
    const scopes = ['mint', 'curate'];
    const keys = [
      await createKey({ client: 'three', namingAuthorities: null, scopes }),
      await createKey({ client: 'four', namingAuthorities: null, scopes }),
    ].map(({ secret }) => ({ ...bearer(secret), 'idempotency-key': 'lines-of-both' }));
    const namingAuthority = '100.102';
    const outcomes: Record<string, unknown>[] = [];
    for (const [n, headers] of [...keys.entries(), ...keys.entries()]) {
      const lines = ndjson(
        ...[1, 2, 3].map((line) => ({ namingAuthority, target: `https://${n}.example.org/${line}` })),
      );
      const bulk = await sendLines(`${service.server.url}/identifiers/bulk`, lines, headers);
      const identifiers = bulk.map(({ record }) => record?.identifier as string);
      const { lines: changed } = await sendChanges(
        service.client,
        ndjson(...identifiers.map((identifier) => ({ identifier, target: `https://${n}.example.net/` }))),
        { headers: { ...headers, 'idempotency-key': 'changes-of-both' } },
      );
      const wanted = { namingAuthority, count: 101, leaseUntil: '2126-01-01T00:00:00Z' };
      const reserved = await service.client.post('/reservations', wanted, { ...headers, 'idempotency-key': 'r' });
      const release = `/reservations/${reserved.body.id}/release`;
      const released = await service.client.post(release, {}, { ...headers, 'idempotency-key': 'parts-of-both' });
      outcomes.push({
        ...{ minted: bulk.map(({ status }) => status as number), identifiers },
        ...{ changed: changed.map(({ outcome, version }) => [outcome, version]), reservation: reserved.body.id },
        ...{ released: released.body.released },
      });
    }
    const expected = {
      ...{ minted: [201, 201, 201], identifiers: expect.anything(), reservation: expect.any(String) },
      ...{ changed: [1, 2, 3].map(() => ['changed', 2]), released: 101 },
    };
    expect(outcomes.slice(0, 2)).toEqual([expected, expected]);
    expect(new Set(outcomes.slice(0, 2).flatMap(({ identifiers }) => identifiers)).size).toBe(6);
    expect(outcomes[0]!.reservation).not.toBe(outcomes[1]!.reservation);
    expect(outcomes.slice(2)).toEqual(outcomes.slice(0, 2));
  });
});

describe('managing keys', () => {
  it('a revoked key is rejected on every instance within five seconds, and stays in the list', async () => {
    const other = await startServer({ DATABASE_URL: service.database.url, ...KEYS });
    const there = new Client(other.url);
    const { id, secret } = await createKey();
    expect((await there.mint({}, bearer(secret))).status).toBe(201);
    expect((await service.client.send('DELETE', `/api-keys/${id}`, ADMIN)).status).toBe(204);
    const revoked = performance.now();
    const statuses = async () => [
      (await there.mint({}, bearer(secret))).status,
      (await service.client.mint({}, bearer(secret))).status,
    ];
    let answers = await statuses();
    // A request does not prolong the time for which a key is remembered.
    while (answers.includes(201) && performance.now() - revoked < 5000) {
      await pause(100);
      answers = await statuses();
    }
    await other.stop();
    expect(answers).toEqual([401, 401]);
    expect((await service.client.get(`/api-keys/${id}`, ADMIN)).body.revokedAt).not.toBeNull();
    expect((await service.client.send('DELETE', `/api-keys/${id}`, ADMIN)).status).toBe(204);
  });

  it.each<[string, (id: string) => string]>([
    ['as it was created', (id) => id],
    ['in capitals', (id) => id.toUpperCase()],
  ])('a key whose ID is %s is rejected at once on the instance that revoked it', async (_, written) => {
    const { id, secret } = await createKey();
    expect((await service.client.mint({}, bearer(secret))).status).toBe(201);
    expect((await service.client.send('DELETE', `/api-keys/${written(id)}`, ADMIN)).status).toBe(204);
    expect((await service.client.mint({}, bearer(secret))).status).toBe(401);
  });

  it('a repeat with the same Idempotency-Key creates no second key and shows no secret again', async () => {
    const headers = { ...ADMIN, 'idempotency-key': 'create-once' };
    const body = { client: 'repeating', namingAuthorities: null, scopes: ['mint'] };
    const first = await service.client.post('/api-keys', body, headers);
    const again = await service.client.post('/api-keys', body, headers);
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
    expect(again.body).toEqual({ ...first.body, secret: null });
    const other = await service.client.post('/api-keys', { ...body, scopes: ['read'] }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('is for administrators of all naming authorities', async () => {
    const bound = await createKey({ scopes: ['admin'], namingAuthorities: [{ namingAuthority: '100.102' }] });
    const minter = await createKey({ scopes: ['mint', 'register', 'curate', 'read'] });
    for (const { secret } of [bound, minter]) {
      const made = await service.client.post(
        '/api-keys',
        { client: 'x', namingAuthorities: null, scopes: ['admin'] },
        bearer(secret),
      );
      expect(made.status).toBe(403);
      expect((await service.client.get('/api-keys', bearer(secret))).status).toBe(403);
    }
    expect((await service.client.get('/api-keys')).status).toBe(401);
  });

  it('pages through all keys without loss or repeat', async () => {
    const seen: string[] = [];
    for (let n = 0; n < 7; n++) await createKey({ client: 'paged' });
    let path: string | null = '/api-keys?limit=3';
    while (path !== null) {
      const page = await service.client.get(path, ADMIN);
      seen.push(...page.body.items.map(({ id }: { id: string }) => id));
      path = page.body.next === null ? null : `/api-keys?limit=3&cursor=${page.body.next}`;
    }
    const all = await service.client.get('/api-keys?limit=1000', ADMIN);
    expect(seen.length).toBeGreaterThanOrEqual(7);
    expect(seen).toEqual(all.body.items.map(({ id }: { id: string }) => id));
  });

  it.each([
    ['no client', { client: undefined }, '/client'],
    ['a client with a space', { client: 'a b' }, '/client'],
    ['the name of the administrator', { client: 'admin' }, '/client'],
    ['the name of whoever has no key', { client: 'anonymous' }, '/client'],
    ['the name of the administrator in another case', { client: 'Admin' }, '/client'],
    ['the name of the service in capitals', { client: 'SERVICE' }, '/client'],
    ['the name of whoever has no key in mixed case', { client: 'aNonymouS' }, '/client'],
    ['no scopes', { scopes: [] }, '/scopes'],
    ['an unknown scope', { scopes: ['root'] }, '/scopes'],
    ['a scope twice', { scopes: ['read', 'read'] }, '/scopes'],
    ['no naming authorities', { namingAuthorities: [] }, '/namingAuthorities'],
    ['naming authorities that are not given', { namingAuthorities: undefined }, '/namingAuthorities'],
    ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
    ['a secret of its own', { secret: 'x' }, '/secret'],
    ['a newline in the label', { label: 'a\nb' }, '/label'],
  ])('rejects %s', async (_, fields, pointer) => {
    const { status, body } = await service.client.post(
      '/api-keys',
      { client: 'c', namingAuthorities: null, scopes: ['read'], ...fields },
      ADMIN,
    );
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'INVALID_REQUEST', pointer]);
  });

  it.each([
    [[], 'namingAuthorities must have at least 1 naming authority; null means all of them'],
    [['1'], 'each value in namingAuthorities must be an object, such as {"namingAuthority":"100.102"}'],
  ])('says how the naming authorities of a key are stated: %j', async (namingAuthorities, detail) => {
    const { body } = await service.client.post(
      '/api-keys',
      { client: 'c', scopes: ['read'], namingAuthorities },
      ADMIN,
    );
    expect(body.errors).toEqual([{ pointer: '/namingAuthorities', detail }]);
  });

  it.each(['unknown', '00000000-0000-4000-8000-000000000000', '%00'])('returns 404 for the key %s', async (id) => {
    const [read, revoke] = [
      await service.client.get(`/api-keys/${id}`, ADMIN),
      await service.client.send('DELETE', `/api-keys/${id}`, ADMIN),
    ];
    expect([read.body.code, revoke.body.code]).toEqual(['API_KEY_NOT_FOUND', 'API_KEY_NOT_FOUND']);
  });
});

describe('PUBLIC_READ=false', () => {
  const closed = useService({ ...KEYS, PUBLIC_READ: 'false' });
  let reader: Record<string, string>;
  let mine: string;
  let theirs: string;
  const metadataId = 'hdl:20.1000/shared';

  beforeAll(async () => {
    reader = bearer(
      (await createKey({ scopes: ['read'], namingAuthorities: [{ namingAuthority: '100.102' }] }, closed.client))
        .secret,
    );
    mine = (await closed.client.mint({ metadataId, target: 'https://a.example.org/' }, ADMIN)).body.identifier;
    theirs = (
      await closed.client.mint({ metadataId, namingAuthority: '2000.01', target: 'https://a.example.org/' }, ADMIN)
    ).body.identifier;
  });

  it.each([
    '/identifiers',
    '/%69dentifiers',
    '//identifiers',
    '/identifiers/100.102/x',
    '/identifiers/hdl%3A1%2F2/uris',
    '/metrics',
  ])('refuses to read %s without a key', async (path) => {
    const { status } = await closed.client.get(path);
    expect(status).toBe(path === '//identifiers' ? 404 : 401);
  });

  it('normalizes nothing without a key', async () => {
    expect((await closed.client.post('/normalize', { items: [{ input: 'x' }] })).status).toBe(401);
  });

  it('a key sees its own naming authorities, and the others as if they were empty', async () => {
    expect((await closed.client.get(`/identifiers/${mine}`, reader)).status).toBe(200);
    const hidden = await closed.client.get(`/identifiers/${theirs}`, reader);
    expect([hidden.status, hidden.body.code]).toEqual([404, 'IDENTIFIER_NOT_FOUND']);
    for (const query of [
      '',
      `?metadataId=${metadataId}`,
      '?target=https://a.example.org/',
      '?namingAuthority=2000.01',
    ]) {
      const { body } = await closed.client.get(`/identifiers${query}`, reader);
      const found = body.items.map(({ identifier }: { identifier: string }) => identifier);
      expect([query, found]).toEqual([query, query.includes('2000.01') ? [] : [mine]]);
    }
    const looked = await closed.client.post('/identifiers/lookup', { items: [mine, theirs, metadataId] }, reader);
    expect(looked.body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['found', 'missing', 'found']);
    expect(JSON.stringify(looked.body.items[2])).not.toContain(theirs);
  });

  it('hides the objects in other naming authorities', async () => {
    const record = await closed.client.mint({}, ADMIN);
    const described = await closed.client.mint(
      { namingAuthority: '2000.01', metadataId: record.body.identifier },
      ADMIN,
    );
    const path = `/identifiers/${record.body.identifier}`;
    expect((await closed.client.get(path, ADMIN)).body.describes).toEqual([described.body.identifier]);
    expect((await closed.client.get(path, reader)).body.describes).toEqual([]);
  });
});
