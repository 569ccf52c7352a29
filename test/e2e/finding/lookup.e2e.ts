import { beforeAll, describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { useService } from '../harness/service.js';

const service = useService();

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const IDENTIFIER = `100.102/${GUID}`;
const METADATA_ID = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';

beforeAll(async () => {
  const registered = await service.client.mint({ guid: GUID, metadataId: METADATA_ID, alternateIds: ['demo:7'] });
  expect(registered.status).toBe(201);
});

describe('GET /identifiers/{identifier}', () => {
  const lower = `100.102/${GUID.toLowerCase()}`;
  const spellings: [string, string][] = [
    ['NA/GUID with a raw slash', IDENTIFIER],
    ['CID-13: lower case', lower],
    ['CID-13: mixed case', `100.102/${GUID.slice(0, 16)}${GUID.slice(16).toLowerCase()}`],
    ['an escaped slash', encodeURIComponent(lower)],
    ['an escaped slash in lower case', IDENTIFIER.replace('/', '%2f')],
    ['URI-15: the path encoding', encodeURIComponent(`hdl:${lower}`)],
    ['URI-06: a scheme in capitals', encodeURIComponent(`HDL:${lower}`)],
    ['URI-07: the host encoding', encodeURIComponent(`hdl://${lower}`)],
    ['URI-29: the URL at the resolver', encodeURIComponent(`http://hdl.handle.net/${lower}`)],
    ['R-28: the URL by https', encodeURIComponent(`https://hdl.handle.net/${lower}`)],
    ['HUS-01: the info URI', encodeURIComponent(`info:hdl/${lower}`)],
    ['an escape within an escape', encodeURIComponent('hdl:%3100.102/' + GUID)],
    ['R-28: white space around it', encodeURIComponent(` ${IDENTIFIER}\n`)],
  ];

  it.each(spellings)('finds the record by %s', async (_, path) => {
    const found = await service.client.get(`/identifiers/${path}`);
    expect(found.status).toBe(200);
    expect(found.body).toMatchObject({ identifier: IDENTIFIER, metadataId: METADATA_ID });
  });

  it('R-24: finds the record of an identifier with query and fragment', async () => {
    const found = await service.client.get(`/identifiers/${encodeURIComponent(`${lower}?v=%7e2#top`)}`);
    expect(found.body).toMatchObject({ identifier: IDENTIFIER, metadataId: METADATA_ID });
  });

  it('returns the headers of GET for HEAD', async () => {
    const [head, get] = [
      await service.client.send('HEAD', `/identifiers/${IDENTIFIER}`, {}),
      await service.client.get(`/identifiers/${IDENTIFIER}`),
    ];
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
  });

  it('RFC 9110 13.1.2: returns 304 to a client that has the representation', async () => {
    const { headers } = await service.client.get(`/identifiers/${IDENTIFIER}`);
    const tag = headers.get('etag') ?? '';
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await service.client.get(`/identifiers/${IDENTIFIER}`, { 'if-none-match': value });
      expect(again.status).toBe(304);
      expect(again.text).toBe('');
    }
    expect((await service.client.get(`/identifiers/${IDENTIFIER}`, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('RFC 9110 13.1.1: returns 412 to a client that requires another representation', async () => {
    const path = `/identifiers/${IDENTIFIER}`;
    const tag = (await service.client.get(path)).headers.get('etag') ?? '';
    for (const value of [tag, `"other", ${tag}`, '*'])
      expect((await service.client.get(path, { 'if-match': value })).status).toBe(200);
    for (const value of ['"other"', `W/${tag}`, '"2"'])
      expect(coded(await service.client.get(path, { 'if-match': value }))).toEqual([412, 'PRECONDITION_FAILED']);
    const rejected = await service.client.get(path, { 'if-match': '"other"', 'if-none-match': tag });
    expect([rejected.status, rejected.headers.get('etag'), rejected.headers.get('link')]).toEqual([412, null, null]);
    expect((await service.client.get(path, { 'if-match': tag, 'if-none-match': tag })).status).toBe(304);
    expect((await service.client.send('HEAD', path, { 'if-match': '"other"' })).status).toBe(412);
    expect(coded(await service.client.get(path, { 'if-match': tag, accept: 'text/html' }))).toEqual([
      412,
      'PRECONDITION_FAILED',
    ]);
    expect(coded(await service.client.get(path, { 'if-match': 'other' }))).toEqual([400, 'INVALID_PRECONDITION']);
    expect((await service.client.get('/openapi.json', { 'if-match': '"other"' })).status).toBe(412);
  });

  it('the entity tag changes with the representation: a record that becomes a metadata record', async () => {
    const record = (await service.client.mint()).body.identifier;
    const before = await service.client.get(`/identifiers/${record}`);
    const object = (await service.client.mint({ metadataId: record })).body.identifier;
    const after = await service.client.get(`/identifiers/${record}`);
    expect(after.body.describes).toEqual([object]);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('accepts a Handle of 4096 bytes in the path, escaped twice', async () => {
    const handle = `hdl:1234/${'%C3%A9'.repeat(2045)}`;
    const answer = await service.client.get(`/identifiers/${encodeURIComponent(handle)}`);
    expect([answer.status, answer.body.code]).toEqual([404, 'IDENTIFIER_NOT_FOUND']);
  });

  const rejections: [string, string, number, string][] = [
    ['an identifier that nobody registered', `100.102/${'0'.repeat(32)}`, 404, 'IDENTIFIER_NOT_FOUND'],
    ['R-25: another naming authority', `0100.102/${GUID}`, 404, 'IDENTIFIER_NOT_FOUND'],
    ['a Handle that is no CORDRA identifier', '10.1045/april2006-paskin', 404, 'IDENTIFIER_NOT_FOUND'],
    ['a Fedora PID', 'demo:7', 404, 'IDENTIFIER_NOT_FOUND'],
    ['CID-10: 31 digits under a naming authority of ours', `100.102/${GUID.slice(1)}`, 400, 'INVALID_GUID'],
    ['CID-10: another Handle under one of ours', '100.102/report-7', 400, 'INVALID_GUID'],
    ['CID-06: an empty segment', encodeURIComponent(`hdl:100..102/${GUID}`), 400, 'INVALID_NAMING_AUTHORITY'],
    ['a word', 'word', 400, 'NOT_RECOGNIZED'],
    ['bytes that are not UTF-8', '100.102/%FF', 400, 'MALFORMED_URL'],
    ['a broken escape', '100.102/%zz', 400, 'MALFORMED_URL'],
    ['U+0000', '100.102/a%00b', 400, 'INVALID_CHARACTER'],
    ['another resolver', encodeURIComponent(`http://example.org/${IDENTIFIER}`), 400, 'AUTHORITY_MISMATCH'],
  ];

  it.each(rejections)('rejects %s', async (_, path, status, code) => {
    const answer = await service.client.get(`/identifiers/${path}`);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });
});

describe('GET /identifiers', () => {
  const find = (query: Record<string, string>) =>
    service.client.get(`/identifiers?${new URLSearchParams(query).toString()}`);

  it.each([
    METADATA_ID,
    '2000.01/a3d8be7457c943ffb66ed4583059a8ba',
    'hdl://2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
    'https://hdl.handle.net/2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
    'info:hdl/2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
  ])('finds the object of a metadata ID in the form %s', async (metadataId) => {
    const found = await find({ metadataId });
    expect(found.status).toBe(200);
    expect(found.body).toMatchObject({ items: [{ identifier: IDENTIFIER }], next: null });
  });

  it.each([
    ['hdl:10.1045/april2006-paskin', 'doi:10.1045/april2006-paskin', 'hdl:10.1045/april2006-paskin'],
    ['1234/what?', 'info:hdl/1234/what%3f', 'hdl:1234/what%3F'],
    ['hdl:10.ABC/x', 'hdl://10.abc/x', 'hdl:10.ABC/x'],
    ['demo%3a1', 'info:fedora/demo:1', 'info:fedora/demo:1'],
    ['info:fedora/demo%3A1/D%43', 'info:fedora/demo:1/DC', 'info:fedora/demo:1/DC'],
    [
      'info:fedora/demo:1/demo:S/m?b=2&a=%c3%a9',
      'info:fedora/demo%3a1/demo:S/m?a=%C3%A9&b=2',
      'info:fedora/demo:1/demo:S/m?a=%C3%A9&b=2',
    ],
  ])('a metadata ID registered as %s is found as %s and stored as %s', async (registered, queried, canonical) => {
    const minted = await service.client.mint({ metadataId: registered });
    expect(minted.body.metadataId).toBe(canonical);
    const found = await find({ metadataId: queried });
    expect(found.body.items).toEqual([expect.objectContaining({ identifier: minted.body.identifier })]);
  });

  it('R-24: a query or fragment on a metadata ID names no other record', async () => {
    const metadataId = 'hdl:2000.03/00000000000000000000000000000024';
    const { identifier } = (await service.client.mint({ metadataId })).body;
    const again = await service.client.mint({ metadataId: `${metadataId}?v=2#top` });
    expect([again.status, again.body.identifier]).toEqual([200, identifier]);
    expect((await find({ metadataId: `${metadataId}?v=3` })).body.items).toMatchObject([{ identifier }]);
  });

  it('R-15: a suffix is case-sensitive', async () => {
    await service.client.mint({ metadataId: 'hdl:1234/Case' });
    expect((await find({ metadataId: 'hdl:1234/case' })).body.items).toEqual([]);
  });

  it('stores and finds a Handle of 4096 bytes, all of which need an escape', async () => {
    const metadataId = `1234/${'é'.repeat(2045)}`;
    const minted = await service.client.mint({ metadataId });
    expect(minted.status).toBe(201);
    const found = await find({ metadataId });
    expect(found.body.items).toMatchObject([{ identifier: minted.body.identifier }]);
  });

  it('finds by alternate identifier, target, state and time of minting', async () => {
    const before = new Date(Date.now() - 1000).toISOString();
    const target = 'https://repo.example.org/objects/find-me';
    const { identifier } = (await service.client.mint({ target, alternateIds: ['doi:10.1000/find-me'] })).body;
    const alternate = await find({ alternateId: 'https://doi.org/10.1000/find-me' });
    expect(alternate.body.items).toMatchObject([{ identifier }]);
    expect((await find({ target, state: 'active', createdFrom: before })).body.items).toMatchObject([{ identifier }]);
    expect((await find({ target, state: 'withdrawn' })).body.items).toEqual([]);
    expect((await find({ target, createdBefore: before })).body.items).toEqual([]);
  });

  it('pages through everything in order of minting, nothing twice, with Link', async () => {
    const minted: string[] = [];
    for (let i = 0; i < 7; i++) {
      minted.push((await service.client.mint({ namingAuthority: '2000.01' })).body.identifier);
    }
    const seen: string[] = [];
    let path: string | undefined = '/identifiers?namingAuthority=2000.01&limit=3';
    while (path !== undefined) {
      const page = await service.client.get(path);
      expect(page.body.items.length).toBeLessThanOrEqual(3);
      seen.push(...page.body.items.map((item: { identifier: string }) => item.identifier));
      const link: string | null = page.headers.get('link');
      path = link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1];
      expect(page.body.next === null).toBe(path === undefined);
    }
    expect(seen).toEqual(minted);
    const whole = await service.client.get('/identifiers?namingAuthority=2000.01&limit=7');
    expect([whole.body.items.length, whole.body.next]).toEqual([7, null]);
  });

  it('pages through the objects of one metadata ID under several naming authorities, in both orders', async () => {
    const metadataId = 'hdl:2000.03/00000000000000000000000000000025';
    const first = (await service.client.mint({ metadataId })).body.identifier;
    const second = (await service.client.mint({ metadataId, namingAuthority: '2000.01' })).body.identifier;
    const listed = async (query: Record<string, string>) => {
      const { body } = await find({ metadataId, total: 'true', ...query });
      const identifiers = body.items.map(({ identifier }: { identifier: string }) => identifier);
      return [identifiers, body.next === null, body.total.value];
    };
    expect(await listed({})).toEqual([[first, second], true, 2]);
    expect(await listed({ limit: '2', sort: '-createdAt' })).toEqual([[second, first], true, 2]);
    expect(await listed({ limit: '1' })).toEqual([[first], false, 2]);
    expect(await listed({ limit: '1', sort: '-createdAt' })).toEqual([[second], false, 2]);
    const { next } = (await find({ metadataId, limit: '1' })).body;
    expect(await listed({ limit: '1', cursor: next })).toEqual([[second], true, 2]);
  });

  it('keeps its filters in Link, a second "?" in one of them too', async () => {
    const target = 'https://repo.example.org/?a=1';
    for (let i = 0; i < 2; i++) await service.client.mint({ target });
    const page = await service.client.get(`/identifiers?target=${target}&limit=1`);
    const next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    const query = new URL(next, service.server.url).searchParams;
    expect([query.get('target'), query.get('limit')]).toEqual([target, '1']);
    expect((await service.client.get(next)).body.items).toHaveLength(1);
  });

  it('has a Link that can be followed where the request has no query', async () => {
    for (let i = 0; i < 60; i++) await service.client.mint();
    const page = await service.client.get('/identifiers');
    const next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    expect([...new URL(next, service.server.url).searchParams.keys()]).toEqual(['cursor']);
    const following = await service.client.get(next);
    expect(following.status).toBe(200);
    expect(following.body.items.length).toBeGreaterThan(0);
  });

  it('rejects a filter before a cursor', async () => {
    const answer = await service.client.get('/identifiers?cursor=x&namingAuthority=1..2');
    expect(answer.body.errors).toEqual([expect.objectContaining({ parameter: 'namingAuthority' })]);
  });

  it('has the location of a fault in the query', async () => {
    const answer = await service.client.get('/identifiers?limit=0');
    expect(answer.body.errors).toEqual([expect.objectContaining({ parameter: 'limit' })]);
  });

  it.each([
    ['limit=0', 'INVALID_REQUEST'],
    ['limit=1001', 'INVALID_REQUEST'],
    ['limit=1e2', 'INVALID_REQUEST'],
    ['limit=5&limit=6', 'INVALID_REQUEST'],
    ['cursor=abc', 'INVALID_CURSOR'],
    ['cursor=OTk5OTk5OTk5OTk5OTk5OTk5OQ', 'INVALID_CURSOR'],
    ['unknown=1', 'INVALID_REQUEST'],
    ['state=gone', 'INVALID_REQUEST'],
    ['createdFrom=yesterday', 'INVALID_REQUEST'],
    ['createdFrom=0000-01-01T00:00:00Z', 'INVALID_REQUEST'],
    ['createdFrom=0001-01-01T00:00:00%2B23:59', 'INVALID_REQUEST'],
    ['createdFrom=2026-02-31T00:00:00Z', 'INVALID_REQUEST'],
    ['__proto__=1', 'INVALID_REQUEST'],
    ['constructor=1', 'INVALID_REQUEST'],
    ['target=%00', 'INVALID_REQUEST'],
    ['namingAuthority=%00', 'INVALID_CHARACTER'],
    ['metadataId=', 'NOT_RECOGNIZED'],
    ['metadataId=hdl:1234/a%00', 'INVALID_CHARACTER'],
  ])('rejects ?%s with %s', async (query, code) => {
    const answer = await service.client.get(`/identifiers?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.errors[0].parameter).toBe(query.slice(0, query.indexOf('=')));
  });
});
