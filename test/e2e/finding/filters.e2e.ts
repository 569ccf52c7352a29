import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, Client, coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

// Real: requests to the built service, with identifiers whose times of minting SQL has set.
const service = useService({ NAMING_AUTHORITIES: '100.102,2000.01' });
const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };
const OLD = 'https://old.example.org/%7Ea/';

/** Services with keys, on the same database; `closed` has no public reading, `hidden` no public history and `shown` all of it. */
let withKeys: Client;
let closed: Client;
let hidden: Client;
let shown: Client;
const servers: TestServer[] = [];
const keys: Record<string, { id: string; secret: string }> = {};

/** The identifiers by the last part of their targets, or by their metadata IDs, in order of minting. */
const minted: string[] = [];

async function startWithKeys(variables: Record<string, string> = {}): Promise<Client> {
  const own = { DATABASE_URL: service.database.url, ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY };
  const server = await startServer({ ...own, ...variables });
  servers.push(server);
  return new Client(server.url);
}

const list = (parameters: string) => service.client.get(`/identifiers?${parameters}`);
const identifiersOf = ({ status, body }: Answer): string[] => {
  expect(status).toBe(200);
  return body.items.map((item: { identifier: string }) => item.identifier);
};
async function exported(parameters: string, client = service.client, headers: Record<string, string> = {}) {
  const response = await fetch(`${client.base}/identifiers/export?${parameters}`, { headers });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line).identifier as string);
}
/** What an error says about the first parameter. */
const rejection = ({ status, body }: Answer) => [status, body.code, body.errors?.[0]];

beforeAll(async () => {
  const { client, database } = service;
  const fields = [
    { target: `${OLD}1`, metadataId: 'demo:1' },
    { target: `${OLD}2` },
    { metadataId: 'demo:3' },
    {},
    { target: 'https://new.example.org/5', metadataId: 'demo:5' },
    { target: 'https://old.example.org/~a/6', namingAuthority: '2000.01' },
  ];
  for (const each of fields) minted.push((await client.mint(each)).body.identifier);
  await query(database.url, 'ALTER TABLE identifier DISABLE TRIGGER USER');
  await query(
    database.url,
    "UPDATE identifier SET created_at = timestamptz '2026-11-01' + (rank - 1) * interval '12 hours' FROM (SELECT id, row_number() OVER (ORDER BY id) AS rank FROM identifier) ranked WHERE ranked.id = identifier.id",
  );
  await query(database.url, 'ALTER TABLE identifier ENABLE TRIGGER USER');
  [withKeys, closed, hidden, shown] = await Promise.all([
    startWithKeys(),
    startWithKeys({ PUBLIC_READ: 'false' }),
    startWithKeys({ PUBLIC_HISTORY: 'none' }),
    startWithKeys({ PUBLIC_HISTORY: 'full' }),
  ]);
  for (const [client, scopes] of [
    ['mover', ['read', 'curate']],
    ['reader', ['read']],
    ['minter', ['mint']],
  ] as const) {
    const own = client === 'mover' ? { namingAuthorities: [{ namingAuthority: '100.102' }], label: 'site' } : {};
    const made = await withKeys.post(
      '/api-keys',
      { client, namingAuthorities: null, scopes, ...own },
      bearer(ADMIN_KEY),
    );
    expect(made.status).toBe(201);
    keys[client] = made.body;
  }
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

describe('identifiers without a target or a metadata ID', () => {
  it('are found alone, together, and with other filters; so are the others', async () => {
    expect(identifiersOf(await list('hasTarget=true'))).toEqual([minted[0], minted[1], minted[4], minted[5]]);
    expect(identifiersOf(await list('hasMetadataId=true&hasTarget=false'))).toEqual([minted[2]]);
    expect(identifiersOf(await list('hasTarget=false'))).toEqual([minted[2], minted[3]]);
    expect(identifiersOf(await list('hasMetadataId=false'))).toEqual([minted[1], minted[3], minted[5]]);
    expect(identifiersOf(await list('hasMetadataId=false&hasTarget=false'))).toEqual([minted[3]]);
    expect(identifiersOf(await list('hasMetadataId=false&namingAuthority=2000.01'))).toEqual([minted[5]]);
  });

  it('are exported by the same filters', async () => {
    expect(await exported('hasTarget=false')).toEqual([minted[2], minted[3]]);
    expect(await exported('hasMetadataId=false&hasTarget=false')).toEqual([minted[3]]);
  });

  it('are not found by the text "none", which is no metadata ID here, and the target of nobody', async () => {
    expect((await list('metadataId=none')).status).toBe(400);
    expect(identifiersOf(await list('target=none'))).toEqual([]);
  });

  it.each(['', '1', 'True', 'no'])('cannot be found by hasTarget=%s', async (text) => {
    expect(rejection(await list(`hasTarget=${text}`))).toEqual([
      ...[400, 'INVALID_REQUEST'],
      { parameter: 'hasTarget', detail: 'hasTarget must be true or false' },
    ]);
  });
});

describe('the order of a list', () => {
  const walk = async (parameters: string) => {
    const found: string[] = [];
    for (let path: string | null = `/identifiers?${parameters}&limit=2`; path !== null;) {
      const answer: Answer = await service.client.get(path);
      found.push(...identifiersOf(answer));
      const [, next = null] = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
      expect(next === null).toBe(answer.body.next === null);
      path = next;
    }
    return found;
  };

  it('is that of minting, or the newest first, over all pages', async () => {
    expect(await walk('sort=createdAt')).toEqual(minted);
    expect(await walk('sort=-createdAt')).toEqual(minted.toReversed());
    expect(await walk('sort=-createdAt&hasTarget=false')).toEqual([minted[3], minted[2]]);
    expect(await walk('sort=-createdAt&metadataId=demo:5')).toEqual([minted[4]]);
  });

  it('cannot be changed between pages: the cursor of another order is invalid', async () => {
    for (const [one, other] of [
      ['createdAt', '-createdAt'],
      ['-createdAt', 'createdAt'],
    ]) {
      const { next } = (await list(`sort=${one}&limit=2`)).body;
      expect(rejection(await list(`sort=${other}&limit=2&cursor=${next}`))).toEqual([
        ...[400, 'INVALID_CURSOR'],
        { parameter: 'cursor', detail: expect.any(String) },
      ]);
    }
    const { next } = (await list('limit=2')).body;
    expect(identifiersOf(await list(`sort=createdAt&limit=2&cursor=${next}`))).toEqual(minted.slice(2, 4));
  });

  it.each(['updatedAt', 'createdat', '+createdAt', ''])('is rejected as %j, with those that exist', async (sort) => {
    expect(rejection(await list(`sort=${encodeURIComponent(sort)}`))).toEqual([
      ...[400, 'INVALID_REQUEST'],
      { parameter: 'sort', detail: expect.stringContaining('createdAt or -createdAt') },
    ]);
  });
});

describe('the total of a list', () => {
  it('is absent unless it is requested', async () => {
    expect((await list('')).body).not.toHaveProperty('total');
    expect((await list('total=false')).body).not.toHaveProperty('total');
    expect((await list('metadataId=demo:5')).body).not.toHaveProperty('total');
  });

  it.each([
    ['', 6],
    ['&hasTarget=false', 2],
    ['&hasMetadataId=false&namingAuthority=2000.01', 1],
    ['&metadataId=demo:5', 1],
    ['&metadataId=demo:5&state=withdrawn', 0],
    ['&namingAuthority=20.1000', 0],
    ['&createdFrom=2026-11-02', 4],
  ])('counts all pages: %s', async (filter, value) => {
    const { body } = await list(`total=true&limit=1${filter}`);
    expect(body.total).toEqual({ value, isExact: true });
  });

  it('does not depend on the page', async () => {
    const { next } = (await list('total=true&limit=2&sort=-createdAt')).body;
    const { body } = await list(`total=true&limit=2&sort=-createdAt&cursor=${next}`);
    expect(body.total).toEqual({ value: 6, isExact: true });
  });

  it('has what a restricted key can see', async () => {
    const { body } = await closed.get('/identifiers?total=true&limit=1', bearer(keys.mover!.secret));
    expect(body.total).toEqual({ value: 5, isExact: true });
  });
});

describe('the time of an identifier', () => {
  it('is in the period that begins with it, and not in the one that ends with it', async () => {
    const { createdAt } = (await service.client.get(`/identifiers/${minted[1]}`)).body;
    expect(identifiersOf(await list(`createdFrom=${createdAt}&state=active`))).toContain(minted[1]);
    expect(identifiersOf(await list(`createdBefore=${createdAt}&state=active`))).not.toContain(minted[1]);
    const counts = await Promise.all(
      ['', `&createdFrom=${createdAt}`, `&createdBefore=${createdAt}`].map(
        async (period) => (await list(`total=true&limit=1${period}`)).body.total.value as number,
      ),
    );
    expect(counts[0]).toBe(counts[1]! + counts[2]!);
  });
});

describe('a time with microseconds', () => {
  it('is after an identifier of its millisecond, as the begin and as the end of a period', async () => {
    const { body } = await service.client.get(`/identifiers/${minted[1]}`);
    const time = (body.createdAt as string).replace('Z', '999Z');
    const found = async (query: string) => {
      const { items } = (await service.client.get(`/identifiers?limit=1000&${query}`)).body;
      return items.some(({ identifier }: { identifier: string }) => identifier === body.identifier);
    };
    expect([await found(`createdBefore=${time}`), await found(`createdFrom=${time}`)]).toEqual([true, false]);
  });
});

describe('a date without time', () => {
  it('is its begin in UTC, in lists and exports', async () => {
    const after = [minted[2], minted[3], minted[4], minted[5]];
    expect(identifiersOf(await list('createdFrom=2026-11-02'))).toEqual(after);
    expect(identifiersOf(await list('createdFrom=2026-11-02T00:00:00Z'))).toEqual(after);
    expect(identifiersOf(await list('createdBefore=2026-11-02'))).toEqual([minted[0], minted[1]]);
    expect(await exported('createdFrom=2026-11-01&createdBefore=2026-11-02')).toEqual([minted[0], minted[1]]);
  });

  it.each(['2026-02-30', '2026-13-01', '2026-1-1', '2026-11', '2026-11-01T', '2026-11-01Z'])(
    '%s is rejected',
    async (text) => {
      expect((await list(`createdFrom=${text}`)).body.code).toBe('INVALID_REQUEST');
      expect((await service.client.get(`/identifiers/export?createdBefore=${text}`)).body.code).toBe('INVALID_REQUEST');
    },
  );

  it('is rejected in a body, where the end of that day could be meant', async () => {
    const lease = await service.client.mint({ leaseUntil: '2999-01-01' });
    expect([lease.status, lease.body.errors[0].pointer]).toEqual([400, '/leaseUntil']);
    const key = await service.client.post('/api-keys', {
      client: 'x',
      namingAuthorities: null,
      scopes: ['read'],
      expiresAt: '2999-01-01',
    });
    expect([key.status, key.body.errors[0].pointer]).toEqual([400, '/expiresAt']);
  });
});

describe('the filters of an export', () => {
  it('"targetPrefix" compares byte by byte: case and percent-encoding differ', async () => {
    expect(await exported(`targetPrefix=${encodeURIComponent('https://old.example.org/')}`)).toEqual([
      ...[minted[0], minted[1], minted[5]],
    ]);
    expect(await exported(`targetPrefix=${encodeURIComponent(OLD)}`)).toEqual([minted[0], minted[1]]);
    expect(await exported(`targetPrefix=${encodeURIComponent('https://old.example.org/%7ea/')}`)).toEqual([]);
    expect(await exported(`targetPrefix=${encodeURIComponent('https://old.example.org/~')}`)).toEqual([minted[5]]);
    expect(await exported(`targetPrefix=${encodeURIComponent('https://OLD.example.org/')}`)).toEqual([]);
    // "_" and "%" of patterns are characters.
    expect(await exported(`targetPrefix=${encodeURIComponent('https://old_example.org/')}`)).toEqual([]);
  });

  it.each(['', 'ftp://a', 'old.example.org', 'https:/', 'https://a b', 'https://ä', `https://${'a'.repeat(2048)}`])(
    '"targetPrefix" must be the begin of a target: %j',
    async (prefix) => {
      const answer = await service.client.get(`/identifiers/export?targetPrefix=${encodeURIComponent(prefix)}`);
      expect([answer.status, answer.body.errors[0].parameter]).toEqual([400, 'targetPrefix']);
    },
  );

  it('find a moved site, and report what was changed', async () => {
    const moved = await exported(`targetPrefix=${encodeURIComponent(OLD)}`);
    for (const identifier of moved) {
      const changed = { target: `https://moved.example.org/${identifier.slice(-4)}` };
      const headers = { ...MERGE_PATCH, ...bearer(keys.mover!.secret) };
      const path = `/identifiers/${encodeURIComponent(identifier)}`;
      expect((await withKeys.send('PATCH', path, headers, JSON.stringify(changed))).status).toBe(200);
    }
    const reader = bearer(keys.reader!.secret);
    expect(await exported('changedBy=mover', withKeys, reader)).toEqual(moved);
    expect(await exported('changedBy=mover&targetPrefix=https://old.example.org/', withKeys, reader)).toEqual([]);
    // A later change by another client does not hide it; a mint is no change.
    const last = `/identifiers/${encodeURIComponent(moved[1]!)}`;
    await service.client.send('PATCH', last, MERGE_PATCH, JSON.stringify({ target: null }));
    expect(await exported('changedBy=mover')).toEqual(moved);
    expect(await exported('changedBy=anonymous')).toEqual([moved[1]]);
    expect(await exported('changedBy=nobody')).toEqual([]);
  });

  it.each(['', 'a b', '\u0000', 'ä', 'a'.repeat(101)])(
    '"changedBy" must be the name of a client: %j',
    async (client) => {
      const answer = await service.client.get(`/identifiers/export?changedBy=${encodeURIComponent(client)}`);
      expect([answer.status, answer.body.errors[0].parameter]).toEqual([400, 'changedBy']);
    },
  );

  it('"changedBy" tells nobody who may not know which client changes identifiers', async () => {
    const path = '/identifiers/export?changedBy=mover';
    expect(coded(await withKeys.get(path))).toEqual([401, 'UNAUTHENTICATED']);
    expect(coded(await hidden.get(path))).toEqual([401, 'UNAUTHENTICATED']);
    expect(coded(await hidden.get(path, bearer(keys.minter!.secret)))).toEqual([403, 'SCOPE_MISSING']);
    expect((await exported('changedBy=mover', hidden, bearer(keys.reader!.secret))).length).toBe(2);
    expect((await exported('changedBy=mover', shown)).length).toBe(2);
  });

  it.each(['targetPrefix', 'changedBy'])(
    'are rejected by the list, in words that name the export: %s',
    async (name) => {
      expect(rejection(await list(`${name}=https://old.example.org/`))).toEqual([
        ...[400, 'INVALID_REQUEST'],
        { parameter: name, detail: expect.stringContaining('GET /identifiers/export') },
      ]);
    },
  );
});

describe('GET /api-keys/self', () => {
  const self = (client: Client, headers: Record<string, string> = {}) => client.get('/api-keys/self', headers);

  it('returns the key of the request, whatever its scope, without its secret', async () => {
    const mover = keys.mover!;
    const answer = await self(withKeys, bearer(mover.secret));
    expect(answer.body).toEqual({
      ...{ id: mover.id, client: 'mover', label: 'site', scopes: ['read', 'curate'], expiresAt: null },
      namingAuthorities: [{ namingAuthority: '100.102', derived: false }],
      ...{ createdAt: expect.stringMatching(/^20.*Z$/), handleUser: null },
    });
    expect([answer.text.includes(mover.secret), answer.headers.get('cache-control')]).toEqual([false, 'no-store']);
    expect((await self(withKeys, bearer(keys.minter!.secret))).body).toMatchObject({
      client: 'minter',
      scopes: ['mint'],
    });
  });

  it("returns the administrator's key of the environment, which has no ID", async () => {
    const answer = await self(withKeys, bearer(ADMIN_KEY));
    expect(answer.body).toMatchObject({ id: null, client: 'admin', scopes: ['admin'], namingAuthorities: null });
    expect(answer.text).not.toContain(ADMIN_KEY);
  });

  it('needs a key although reading is public', async () => {
    expect(coded(await self(withKeys))).toEqual([401, 'UNAUTHENTICATED']);
    expect(coded(await self(withKeys, bearer('mm_live_unknown')))).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('says under open access that requests have no key', async () => {
    const answer = await self(service.client, bearer(keys.mover!.secret));
    expect(coded(answer)).toEqual([404, 'API_KEY_NOT_FOUND']);
    expect(answer.body.detail).toContain('ACCESS=open');
  });
});
