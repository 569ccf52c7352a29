import { describe, expect, it } from '@jest/globals';
import { ADMIN } from '../access/authorisation/credentials.js';
import { type Answer, Client, coded } from '../harness/client.js';
import { exchange } from '../harness/exchange.js';
import { ANY, REAL_LIFE, REJECTED, SETTINGS, pathOf, useOpaqueIds } from '../harness/opaque-ids.js';
import { startServer } from '../harness/server.js';
import { sendLines } from '../harness/stream.js';

const { service, get, htmlOf, listed, lookedUp, mint, minted, patch, post } = useOpaqueIds();
const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const pointers = ({ body }: Answer) => body.errors.map(({ pointer }: any) => pointer);

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
    expect(coded(changed)).toEqual([422, 'READ_ONLY_MEMBER']);
    expect((await get(`/naming-authorities/${ANY}`)).body).toMatchObject({ metadataIdScheme: 'any', version: 1 });
  });

  it.each(['opaque', 'ANY', true])('is not %j', async (metadataIdScheme) => {
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

describe('a text that is rejected', () => {
  it.each(REJECTED)('%s, in a mint, a batch, a stream and a change', async (_, metadataId) => {
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
    const rejected = await post('/identifiers', { namingAuthority: '100.102', metadataId: 'oai:repo.org:123/4' });
    expect([rejected.status, ...pointers(rejected)]).toEqual([400, '/metadataId']);
    for (const word of [
      'CORDRA identifier',
      'Handle',
      'Fedora PID',
      'Fedora dissemination',
      '"metadataIdScheme": "any"',
    ])
      expect(rejected.body.detail).toContain(word);
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

  it('is found beside the metadata ID that is recognized, and notations are compared byte by byte', async () => {
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

  it('finds a pasted text without its delimiters, and no text with another byte', async () => {
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
