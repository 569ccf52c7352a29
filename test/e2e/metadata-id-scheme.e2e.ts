import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { ADMIN, ADMIN_KEY } from './authorisation/credentials.js';
import { type Answer, Client, coded } from './harness/client.js';
import { createDatabase, query } from './harness/database.js';
import { exchange } from './harness/exchange.js';
import { startServer } from './harness/server.js';
import { useService } from './harness/service.js';
import { sendLines } from './harness/stream.js';

const SETTINGS = {
  ACCESS: 'keys',
  ADMIN_API_KEY: ADMIN_KEY,
  NAMING_AUTHORITIES: '100.102',
  FACES: 'api,resolver,handles',
};
const service = useService(SETTINGS);

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

/** Metadata IDs as repositories have them. */
const REAL_LIFE: readonly (readonly [kind: string, id: string])[] = [
  ['an OAI identifier', 'oai:repo.org:123/4'],
  ['an OAI identifier of a repository with a port in its name', 'oai:arXiv.org:hep-th/9901001'],
  ['a URL', 'https://repo.example.org/records/7?a=1&b=%20#top'],
  ['a URL with a final slash', 'https://repo.example.org/records/8/'],
  ['a UUID', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  ['a UUID as 32 digits', '6ba7b8109dad11d180b400c04fd430c9'],
  ['a URN', 'urn:nbn:de:101:1-201102033592'],
  ['an ARK', 'ark:/12148/btv1b8449691v'],
  ['a DOI', '10.5281/zenodo.1234'],
  ['a local number', '4711'],
  ['the same with leading zeros', '0004711'],
  ['a call number with spaces', 'Ms. germ. fol. 1062,  2 r'],
  ['spaces around it', ' 4711 '],
  ['letters outside ASCII', 'Sammlung/Äpfel und Birnen №5'],
  ['the same letters composed in another way', 'Sammlung/A\u0308pfel und Birnen №5'],
  ['a formula', '=HYPERLINK("http://evil.example","x")'],
  ['a sign', '-1;+2'],
  ['quotation marks and an apostrophe', `'"a"'`],
  ['markup', '<script>alert("1")</script>'],
  ['a script as URL', 'javascript:alert(1)'],
  ['no UTF-16 code unit of its own', 'record 𝄞'],
  ['the longest', 'é'.repeat(1024)],
  ['wildcards', '100%_*\\'],
  ['a question mark', 'a?b'],
  ['the same with another rest', 'a?c'],
  ['another case', 'A?c'],
  ['a single character', '7'],
];

const REFUSED: readonly (readonly [kind: string, id: unknown])[] = [
  ['an empty text', ''],
  ['U+0000', 'a\0b'],
  ['a tab', 'a\tb'],
  ['a line break', 'a\n'],
  ['DEL', 'a\x7f'],
  ['a C1 control', 'a\x85b'],
  ['half a surrogate pair', 'a\ud800'],
  ['2,049 octets', `${'é'.repeat(1024)}a`],
  ['a number', 4711],
  ['an object', {}],
];

const ANY = 'Any';
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.client.post(path, body, { ...ADMIN, ...headers });
const get = (path: string, headers: Record<string, string> = {}) => service.client.get(path, { ...ADMIN, ...headers });
const mint = (fields: object, headers: Record<string, string> = {}) =>
  post('/identifiers', { namingAuthority: ANY, ...fields }, headers);
const patch = (path: string, fields: unknown, headers: Record<string, string> = {}) =>
  service.client.send(
    'PATCH',
    path,
    { ...ADMIN, 'content-type': 'application/merge-patch+json', 'if-match': '*', ...headers },
    JSON.stringify(fields),
  );
const pathOf = ({ body }: Answer) => `/identifiers/${encodeURIComponent(body.identifier)}`;
const listed = async (metadataId: string, more = '') => {
  const { status, body } = await get(`/identifiers?metadataId=${encodeURIComponent(metadataId)}${more}`);
  expect([metadataId, status]).toEqual([metadataId, 200]);
  return body.items.map(({ identifier }: any) => identifier);
};
const lookedUp = async (...inputs: string[]) => (await post('/identifiers/lookup', { items: inputs })).body.items;
const htmlOf = async (identifier: string, path = '/identifiers/') =>
  (await fetch(`${service.server.url}${path}${identifier}`, { headers: { ...ADMIN, accept: 'text/html' } })).text();
const pointers = ({ body }: Answer) => body.errors.map(({ pointer }: any) => pointer);

/** The identifier of each metadata ID of the table. */
const minted = new Map<string, string>();

beforeAll(async () => {
  for (const namingAuthority of [ANY, 'Any2']) {
    const settings = { namingAuthority, profile: 'handle', handleValues: true, metadataIdScheme: 'any' };
    const { status, body } = await post('/naming-authorities', settings);
    expect([status, body.metadataIdScheme]).toEqual([201, 'any']);
  }
  for (const [, metadataId] of REAL_LIFE) {
    const { status, body } = await mint({ metadataId });
    expect([metadataId, status, body.metadataId]).toEqual([metadataId, 201, metadataId]);
    minted.set(metadataId, body.identifier);
  }
});

describe('the setting metadataIdScheme', () => {
  it('is "recognized" by default, and in every representation of a naming authority', async () => {
    const created = await post('/naming-authorities', { namingAuthority: 'Plain', profile: 'handle' });
    expect([created.status, created.body.metadataIdScheme]).toEqual([201, 'recognized']);
    expect((await get(`/naming-authorities/${ANY}`)).body.metadataIdScheme).toBe('any');
    const { items } = (await get('/naming-authorities')).body;
    expect(items.map(({ namingAuthority, metadataIdScheme }: any) => [namingAuthority, metadataIdScheme])).toEqual([
      ['100.102', 'recognized'],
      [ANY, 'any'],
      ['Any2', 'any'],
      ['Plain', 'recognized'],
    ]);
    const history = (await get(`/naming-authorities/${ANY}/history`)).body;
    expect(history.items[0].patch[0].value).toMatchObject({ metadataIdScheme: 'any' });
  });

  it('cannot be changed', async () => {
    const changed = await patch(`/naming-authorities/${ANY}`, { metadataIdScheme: 'recognized' });
    expect(coded(changed)).toEqual([400, 'INVALID_REQUEST']);
    expect((await get(`/naming-authorities/${ANY}`)).body).toMatchObject({ metadataIdScheme: 'any', version: 1 });
  });

  it.each(['opaque', 'ANY', null, true])('is not %j', async (metadataIdScheme) => {
    const created = await post('/naming-authorities', {
      namingAuthority: 'Other',
      profile: 'handle',
      metadataIdScheme,
    });
    expect(coded(created)).toEqual([400, 'INVALID_REQUEST']);
    expect(pointers(created)).toEqual(['/metadataIdScheme']);
  });
});

describe.each(REAL_LIFE)('%s as metadata ID: %j', (_, metadataId) => {
  it('is kept, and finds its identifier alone', async () => {
    const identifier = minted.get(metadataId);
    expect((await get(`/identifiers/${identifier}`)).body.metadataId).toBe(metadataId);
    expect(await listed(metadataId)).toEqual([identifier]);
    expect(await listed(metadataId, `&namingAuthority=${ANY}&state=active`)).toEqual([identifier]);
    expect(await listed(metadataId, '&namingAuthority=Any2')).toEqual([]);
    const [result] = await lookedUp(metadataId);
    expect(result).toMatchObject({ outcome: 'found', matchedBy: 'metadataId', canonical: metadataId, others: [] });
    expect(result.identifier).toBe(identifier);
  });

  it('is not minted twice', async () => {
    const again = await mint({ metadataId });
    expect([again.status, again.body.identifier]).toEqual([200, minted.get(metadataId)]);
    const rejected = await mint({ metadataId, onExisting: 'reject' });
    expect(coded(rejected)).toEqual([409, 'METADATA_ID_TAKEN']);
    expect([rejected.body.identifier, ...pointers(rejected)]).toEqual([minted.get(metadataId), '/metadataId']);
  });

  it('is a value of the Handle', async () => {
    const handle = minted.get(metadataId) ?? '';
    const { text } = await exchange(service.server.url, `/api/handles/${handle}?type=METADATA_ID`);
    expect(JSON.parse(text).values).toMatchObject([
      { type: 'METADATA_ID', data: { format: 'string', value: metadataId } },
    ]);
    const search = `/hrls/handles?METADATA_ID=${encodeURIComponent(metadataId)}`;
    const found = await exchange(service.server.url, search, { headers: ADMIN });
    const expected = metadataId.includes('*') ? [] : [handle];
    expect(JSON.parse(found.text)).toEqual(expect.arrayContaining(expected));
    if (!metadataId.includes('*')) expect(JSON.parse(found.text)).toEqual([handle]);
  });
});

describe('a text that is refused', () => {
  it.each(REFUSED)('%s, in a mint, a batch, a stream and a change', async (_, metadataId) => {
    const single = await mint({ metadataId });
    expect([...coded(single), ...pointers(single)]).toEqual([400, 'INVALID_REQUEST', '/metadataId']);
    const batch = await post('/identifiers/batch?mode=atomic', { namingAuthority: ANY, items: [{}, { metadataId }] });
    expect(batch.status).toBeGreaterThanOrEqual(400);
    expect(batch.status).toBeLessThan(500);
    const [first, second] = await sendLines(
      `${service.server.url}/identifiers/bulk?namingAuthority=${ANY}`,
      `{}\n${JSON.stringify({ metadataId })}\n`,
      ADMIN,
    );
    expect([first.status, second.status, second.problem.code]).toEqual([201, 400, 'INVALID_REQUEST']);
    const changed = await patch(`/identifiers/${minted.get('7')}`, { metadataId });
    expect([...coded(changed), ...pointers(changed)]).toEqual([400, 'INVALID_REQUEST', '/metadataId']);
  });

  it('one that is minted by the service', async () => {
    const single = await mint({ mintMetadataId: true });
    expect([...coded(single), ...pointers(single)]).toEqual([422, 'WRONG_METADATA_ID_SCHEME', '/mintMetadataId']);
    const batch = await post('/identifiers/batch?mode=atomic', {
      namingAuthority: ANY,
      items: [{ mintMetadataId: true }],
    });
    expect(coded(batch)).toEqual([422, 'BATCH_REFUSED']);
    expect(batch.body.errors).toMatchObject([{ pointer: '/items/0/mintMetadataId', code: 'WRONG_METADATA_ID_SCHEME' }]);
  });

  it('one under another naming authority, whose problem names what fits', async () => {
    const refused = await post('/identifiers', { namingAuthority: '100.102', metadataId: 'oai:repo.org:123/4' });
    expect([refused.status, ...pointers(refused)]).toEqual([400, '/metadataId']);
    for (const word of [
      'CORDRA identifier',
      'Handle',
      'Fedora PID',
      'Fedora dissemination',
      '"metadataIdScheme": "any"',
    ])
      expect(refused.body.detail).toContain(word);
  });
});

describe('an opaque metadata ID that is spelled like an identifier', () => {
  it('denotes no identifier', async () => {
    const record = await post('/identifiers', { namingAuthority: '100.102', guid: GUID });
    expect(record.status).toBe(201);
    const object = await mint({ localName: 'described', metadataId: `hdl:100.102/${GUID}` });
    expect([object.status, object.body.metadataId]).toEqual([201, `hdl:100.102/${GUID}`]);
    expect((await get(`/identifiers/100.102/${GUID}`)).body.describes).toEqual([]);
    const links = (await get(pathOf(object))).headers.get('link') ?? '';
    expect(links).not.toContain('describedby');
    expect(await htmlOf(object.body.identifier)).not.toContain(`href="http://hdl.handle.net/100.102/${GUID}"`);
  });

  it('may be the identifier itself', async () => {
    const own = await mint({ localName: 'own', metadataId: 'hdl:Any/own' });
    expect([own.status, own.body.metadataId, own.body.describes]).toEqual([201, 'hdl:Any/own', []]);
    expect((await get(pathOf(own))).body.describes).toEqual([]);
    const [result] = await lookedUp('hdl:Any/own');
    expect(result).toMatchObject({ outcome: 'found', matchedBy: 'identifier', others: [] });
  });

  it('is found beside the metadata ID that is recognized, and notations are compared octet by octet', async () => {
    const recognized = await post('/identifiers', { namingAuthority: '100.102', metadataId: '9.9/both' });
    const opaque = await mint({ metadataId: '9.9/both' });
    const spelled = await mint({ metadataId: 'hdl:9.9/both' });
    expect([recognized.status, opaque.status, spelled.status]).toEqual([201, 201, 201]);
    const [one, other, third] = [recognized, opaque, spelled].map(({ body }) => body.identifier);
    expect(await listed('9.9/both')).toEqual([one, other]);
    expect(await listed('9.9/both', '&state=active&limit=1')).toEqual([one]);
    expect(await listed('9.9/both', `&namingAuthority=${ANY}`)).toEqual([other]);
    expect(await listed('9.9/both', '&namingAuthority=100.102')).toEqual([one]);
    expect(await listed('hdl:9.9/both')).toEqual([one, third]);
    const [first, second] = await lookedUp('9.9/both', 'info:hdl/9.9/both');
    expect(first).toMatchObject({
      outcome: 'ambiguous',
      matchedBy: 'metadataId',
      candidates: [one, other],
      others: [other],
    });
    expect(second).toMatchObject({ outcome: 'found', canonical: 'hdl:9.9/both', others: [] });
    expect(second.identifier).toBe(one);
  });
});

describe('a look-up of texts', () => {
  it('of a text that could be an opaque metadata ID is missing', async () => {
    const [number, prose, control] = await lookedUp('no such number', '47110815', 'a\tb');
    expect([number.outcome, prose.outcome, control.outcome]).toEqual(['missing', 'missing', 'malformed']);
    expect(await listed('no such number')).toEqual([]);
    expect(coded(await get('/identifiers?metadataId=a%09b'))).toEqual([400, 'NOT_RECOGNIZED']);
    expect((await get('/identifiers?metadataId=4711&namingAuthority=100.102')).status).toBe(400);
  });

  it('finds a pasted text without its delimiters, and no text with another octet', async () => {
    const results = await lookedUp('<oai:repo.org:123/4>', '"4711".', 'OAI:repo.org:123/4', '004711', 'a?');
    expect(results.map(({ outcome }: any) => outcome)).toEqual(['found', 'found', 'missing', 'missing', 'missing']);
    expect(results[1].identifier).toBe(minted.get('4711'));
    expect(results[0].canonical).toBe('oai:repo.org:123/4');
  });

  it('names all identifiers with an opaque metadata ID under two naming authorities', async () => {
    const first = await mint({ metadataId: 'shared 1' });
    const second = await mint({ namingAuthority: 'Any2', metadataId: 'shared 1' });
    const candidates = [first.body.identifier, second.body.identifier];
    expect(await listed('shared 1')).toEqual(candidates);
    const [result] = await lookedUp('shared 1');
    expect(result).toMatchObject({ outcome: 'ambiguous', candidates, others: [candidates[1]], canonical: 'shared 1' });
  });

  it('shows nothing of it to a key that cannot see the naming authority', async () => {
    const grants = [{ namingAuthority: '100.102' }];
    const { body } = await post('/api-keys', { client: 'stranger', scopes: ['read'], namingAuthorities: grants });
    const headers = { authorization: `Bearer ${body.secret}` };
    const closed = await startServer({ ...SETTINGS, DATABASE_URL: service.database.url, PUBLIC_READ: 'false' });
    try {
      const client = new Client(closed.url);
      const { items } = (await client.post('/identifiers/lookup', { items: ['9.9/both', '4711'] }, headers)).body;
      expect(items.map(({ outcome }: any) => outcome)).toEqual(['found', 'malformed']);
      expect(items[0].others).toEqual([]);
      expect((await client.get('/identifiers?metadataId=4711', headers)).status).toBe(400);
      expect((await client.get('/identifiers?metadataId=9.9%2Fboth', headers)).body.items).toHaveLength(1);
    } finally {
      await closed.stop();
    }
  });
});

describe('the record of an opaque metadata ID', () => {
  it('links a URL, as it is', async () => {
    const url = 'https://repo.example.org/records/7?a=1&b=%20#top';
    const identifier = minted.get(url) ?? '';
    const escaped = url.replaceAll('&', '&amp;');
    for (const path of ['/identifiers/', '/']) expect(await htmlOf(identifier, path)).toContain(`<a href="${escaped}"`);
    const { headers } = await get(`/identifiers/${identifier}`);
    expect(headers.get('link')).toContain(`<${url}>; rel="describedby"`);
    const linkset = await get(`/identifiers/${identifier}`, { accept: 'application/linkset+json' });
    expect(linkset.body.linkset[0].describedby).toEqual([{ href: url }]);
  });

  it.each(['javascript:alert(1)', '<script>alert("1")</script>', '9.9/both', '10.5281/zenodo.1234', `'"a"'`])(
    'shows %s as text without a link',
    async (metadataId) => {
      const identifier = minted.get(metadataId) ?? (await mint({ metadataId })).body.identifier;
      const html = await htmlOf(identifier);
      const escaped = metadataId
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;');
      expect(html).toContain(escaped);
      expect(html).not.toContain('<script>alert');
      expect(html).not.toContain(`${escaped}</a>`);
      expect((await get(`/identifiers/${identifier}`)).headers.get('link')).not.toContain('describedby');
    },
  );
});

describe('an opaque metadata ID in every write', () => {
  it('of a change: it is set, replaced, removed and repeated, and the history has it', async () => {
    const object = await mint({});
    const path = pathOf(object);
    const key = { 'idempotency-key': 'set-opaque' };
    const set = await patch(path, { metadataId: 'oai:repo.org:c1' }, key);
    expect([set.status, set.body.metadataId, set.body.version]).toEqual([200, 'oai:repo.org:c1', 2]);
    const repeated = await patch(path, { metadataId: 'oai:repo.org:c1' }, key);
    expect([repeated.status, repeated.text]).toEqual([200, set.text]);
    expect(coded(await patch(path, { metadataId: 'OAI:repo.org:c1' }, key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await patch(path, { metadataId: 'oai:repo.org:c1' })).body.version).toBe(2);
    const taken = await patch(path, { metadataId: '4711' });
    expect([...coded(taken), taken.body.identifier]).toEqual([409, 'METADATA_ID_TAKEN', minted.get('4711')]);
    expect((await patch(path, { metadataId: 'hdl:9.9/c' })).body.metadataId).toBe('hdl:9.9/c');
    expect((await patch(path, { metadataId: '9.9/c' })).body).toMatchObject({ metadataId: '9.9/c', version: 4 });
    expect((await patch(path, { metadataId: null })).body.metadataId).toBeNull();
    const { items } = (await get(`${path}/history`)).body;
    const values = items.flatMap(({ patch: operations }: any) =>
      operations.flatMap(({ path: at, value }: any) => (at === '/metadataId' ? [value] : [])),
    );
    expect(values.toSorted()).toEqual(['9.9/c', 'hdl:9.9/c', null, 'oai:repo.org:c1'].toSorted());
  });

  it('of a mint with a key, a batch and a stream, and of their repeats', async () => {
    const key = { 'idempotency-key': 'mint-opaque' };
    const first = await mint({ metadataId: 'oai:repo.org:m1' }, key);
    const again = await mint({ metadataId: 'oai:repo.org:m1' }, key);
    expect([first.status, again.status, again.body.identifier]).toEqual([201, 201, first.body.identifier]);
    expect(coded(await mint({ metadataId: 'oai:repo.org:m2' }, key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);

    const items = [
      { metadataId: 'oai:repo.org:m1' },
      { metadataId: 'B 1' },
      { metadataId: 'b 1' },
      { metadataId: 'B 1' },
    ];
    const batchKey = { 'idempotency-key': 'batch-opaque' };
    const batch = await post('/identifiers/batch?mode=perItem', { namingAuthority: ANY, items }, batchKey);
    const stored = await post('/identifiers/batch?mode=perItem', { namingAuthority: ANY, items }, batchKey);
    const outcomes = (answer: Answer) => answer.body.items.map(({ status }: any) => status);
    expect(outcomes(batch)).toEqual([200, 201, 201, 422]);
    expect(outcomes(stored)).toEqual([200, 201, 201, 422]);

    const lines = ['oai:repo.org:m1', 'S 1', ' S 1']
      .map((metadataId) => `${JSON.stringify({ metadataId })}\n`)
      .join('');
    const url = `${service.server.url}/identifiers/bulk?namingAuthority=${ANY}`;
    const streamKey = { ...ADMIN, 'idempotency-key': 'stream-opaque' };
    const sent = await sendLines(url, lines, streamKey);
    const repeated = await sendLines(url, lines, streamKey);
    expect(sent.map(({ status }) => status)).toEqual([200, 201, 201]);
    const named = (results: any[]) => results.map(({ identifier }) => identifier);
    expect(named(repeated)).toEqual(named(sent));
  });

  it('of a reservation that is activated', async () => {
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const reserved = await mint({ state: 'reserved', leaseUntil, metadataId: 'draft 1' });
    expect(reserved.status).toBe(201);
    const headers = { 'if-match': '*' };
    const activated = await post(`${pathOf(reserved)}/activate`, { metadataId: 'oai:repo.org:r1' }, headers);
    expect([activated.status, activated.body.metadataId]).toEqual([200, 'oai:repo.org:r1']);
    expect(await listed('draft 1')).toEqual([]);
  });

  it('of the values of a Handle', async () => {
    const send = (body: unknown) =>
      exchange(service.server.url, '/api/handles/Any/valued', {
        method: 'PUT',
        headers: { ...ADMIN, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const value = (data: string) => [{ index: 5, type: 'METADATA_ID', data }];
    expect((await send(value('oai:repo.org:h1'))).status).toBe(201);
    expect((await get('/identifiers/Any/valued')).body.metadataId).toBe('oai:repo.org:h1');
    expect((await send(value('0815'))).status).toBe(200);
    const { body } = await get('/identifiers/Any/valued');
    expect(body.metadataId).toBe('0815');
    expect(body.handleValues).toMatchObject([{ index: 5, data: { format: 'string', value: '0815' } }]);
    const taken = await send(value('4711'));
    expect([taken.status, JSON.parse(taken.text).responseCode]).toEqual([409, 202]);
    const refused = await send(value('a\tb'));
    expect(refused.status).toBe(400);
  });
});

it('an export as NDJSON and as CSV is imported into another registry without a difference', async () => {
  const exportOf = async (client: Client, accept: string) => {
    const answer = await fetch(`${client.base}/identifiers/export?namingAuthority=${ANY}`, {
      headers: { ...ADMIN, accept },
    });
    return answer.text();
  };
  const [ndjson, csv] = [
    await exportOf(service.client, 'application/x-ndjson'),
    await exportOf(service.client, 'text/csv'),
  ];
  expect(ndjson.split('\n').length - 1).toBeGreaterThan(REAL_LIFE.length);
  const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true });
  const cells = rows.map(({ metadataId = '' }) => metadataId);
  expect(cells).toContain(`'=HYPERLINK("http://evil.example","x")`);
  for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@]/);
  for (const [type, body] of [
    ['application/x-ndjson', ndjson],
    ['text/csv', csv],
  ] as const) {
    const database = await createDatabase();
    const server = await startServer({ ...SETTINGS, DATABASE_URL: database.url });
    try {
      const other = new Client(server.url);
      const settings = { namingAuthority: ANY, profile: 'handle', handleValues: true, metadataIdScheme: 'any' };
      expect((await other.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
      const results = await sendLines(`${server.url}/identifiers/import`, body, { ...ADMIN, 'content-type': type });
      expect(results.filter(({ status }) => status !== 201)).toEqual([]);
      expect(await exportOf(other, 'application/x-ndjson')).toBe(ndjson);
    } finally {
      await server.stop();
      await database.drop();
    }
  }
});

it('a naming authority of another replica is read by its own scheme', async () => {
  const replica = await startServer({ ...SETTINGS, DATABASE_URL: service.database.url });
  try {
    const other = new Client(replica.url);
    await other.get('/identifiers?metadataId=demo:7', ADMIN);
    const settings = { namingAuthority: 'New', profile: 'handle', metadataIdScheme: 'any' };
    expect((await post('/naming-authorities', settings)).status).toBe(201);
    const minted = await other.post('/identifiers', { namingAuthority: 'New', metadataId: 'new 1' }, ADMIN);
    expect([minted.status, minted.body.metadataId]).toEqual([201, 'new 1']);
    const second = await post('/naming-authorities', { ...settings, namingAuthority: 'New2' });
    expect(second.status).toBe(201);
    const object = await post('/identifiers', { namingAuthority: 'New2', localName: 'a' });
    const headers = { ...ADMIN, 'content-type': 'application/merge-patch+json', 'if-match': '*' };
    const changed = await other.send('PATCH', pathOf(object), headers, JSON.stringify({ metadataId: 'new 2' }));
    expect([changed.status, changed.body.metadataId]).toEqual([200, 'new 2']);
    expect(await listed('new 2')).toEqual([object.body.identifier]);
  } finally {
    await replica.stop();
  }
});

it('the database refuses another scheme and a change of it', async () => {
  const { url } = service.database;
  const change = `UPDATE naming_authority SET metadata_id_scheme = 'recognized' WHERE prefix = '${ANY}'`;
  await expect(query(url, change)).rejects.toThrow('kept as they are');
  const insert = `INSERT INTO naming_authority (prefix, profile, metadata_id_scheme) VALUES ('x', 'handle', 'other')`;
  await expect(query(url, insert)).rejects.toThrow('naming_authority_metadata_id_scheme_check');
});
