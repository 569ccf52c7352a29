import { beforeAll, describe, expect, it } from '@jest/globals';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { useService } from '../harness/service.js';

// The web addresses of records for which no resolver is set are not public.
const service = useService({ RESOLVER_AUTHORITY: 'hdl.handle.net' });
const { minted, patch, step } = curationOf(service);
const { create } = authoritiesOf(service);

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const IDENTIFIER = `100.102/${GUID}`;
const PATH = pathOf(IDENTIFIER);
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const LINKSET = 'application/linkset+json';

/** A response whose body need not be JSON. */
async function get(path: string, accept?: string, headers: Record<string, string> = {}) {
  const sent = { ...headers, ...(accept === undefined ? {} : { accept }) };
  const answer = await fetch(service.client.base + path, { headers: sent });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const typeOf = ({ headers }: { headers: Headers }) => headers.get('content-type')?.split(';')[0];

beforeAll(async () => {
  const metadataId = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';
  const registered = await service.client.mint({
    guid: GUID,
    metadataId,
    target: 'https://repo.example.org/objects/7',
  });
  expect(registered.status).toBe(201);
});

describe('GET /identifiers/{identifier} with Accept', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['application/json, text/html;q=0.9', 'application/json'],
    ['image/png', 'application/json'],
    ['text/html', 'text/html'],
    [BROWSER, 'text/html'],
    [LINKSET, LINKSET],
  ])('%s returns %s, and varies by Accept', async (accept, type) => {
    const found = await get(PATH, accept);
    expect([found.status, typeOf(found), found.headers.get('vary')]).toEqual([200, type, 'Accept']);
  });

  it('has an entity tag for each representation, which a client of another one cannot use', async () => {
    const tags = new Map<string, string>();
    for (const accept of ['application/json', 'text/html', LINKSET]) {
      tags.set(accept, (await get(PATH, accept)).headers.get('etag') ?? '');
    }
    expect(new Set(tags.values()).size).toBe(3);
    for (const [accept, tag] of tags) {
      for (const other of tags.keys()) {
        const again = await get(PATH, other, { 'if-none-match': tag });
        expect([accept, other, again.status]).toEqual([accept, other, accept === other ? 304 : 200]);
        expect(again.headers.get('vary')).toBe('Accept');
        if (accept !== other) continue;
        expect([again.headers.get('etag'), again.text]).toEqual([tag, '']);
        // A cache replaces the headers of the stored response by these (RFC 9111 3.2).
        const policy = 'content-security-policy';
        expect(again.headers.get(policy)).toBe((await get(PATH, accept)).headers.get(policy));
      }
    }
  });

  it('changes the entity tag of the page with the record', async () => {
    const { path } = await minted();
    const before = await get(path, 'text/html');
    await patch(path, { target: 'https://repo.example.org/objects/8' });
    const after = await get(path, 'text/html', { 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.text).toContain('<a href="https://repo.example.org/objects/8"');
  });

  it('returns the headers of the page for HEAD', async () => {
    const head = await fetch(service.client.base + PATH, { method: 'HEAD', headers: { accept: 'text/html' } });
    const page = await get(PATH, 'text/html');
    for (const name of ['etag', 'link', 'content-type', 'content-security-policy', 'vary']) {
      expect([name, head.headers.get(name)]).toEqual([name, page.headers.get(name)]);
    }
  });
});

describe('the page of a record', () => {
  it('has the attributes, every URI of the JSON, and the history with a link to all of it', async () => {
    const { text } = await get(PATH, 'text/html');
    const { uris } = (await service.client.get(PATH)).body;
    for (const uri of Object.values(uris)) if (uri !== null) expect(text).toContain(`data-copy="${uri as string}"`);
    expect(text).toContain('<a href="https://repo.example.org/objects/7"');
    expect(text).toContain('<a href="http://hdl.handle.net/2000.01/A3D8BE7457C943FFB66ED4583059A8BA"');
    expect(text).toContain(`href="/identifiers/${IDENTIFIER}/history"`);
    expect(text).toContain('<bdi>anonymous</bdi>');
  });

  it('may run its own script and nothing else, and is never framed', async () => {
    const { headers, text } = await get(PATH, 'text/html');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';.*script-src 'sha256-[^']+';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).toMatch(/^<!doctype html>/);
  });

  it('escapes the name of a Handle and the texts of its attributes', async () => {
    await create({ namingAuthority: '20901', profile: 'handle' });
    const localName = '<script>alert(1)</script>"&\'אב';
    const registered = await service.client.mint({ namingAuthority: '20901', localName, target: "https://x.org/'a" });
    expect(registered.status).toBe(201);
    const { text } = await get(`/identifiers/${encodeURIComponent(`20901/${localName}`)}`, 'text/html');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;אב');
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).not.toContain('\'a"');
  });

  it('shows a reserved identifier to those who may read it, not to search engines', async () => {
    const { path } = await minted({ state: 'reserved', leaseUntil: new Date(Date.now() + 3_600_000).toISOString() });
    const { status, text } = await get(path, 'text/html');
    expect(status).toBe(200);
    expect(text).toContain('<strong>Reserved</strong>');
    expect(text).toContain('<meta name="robots" content="noindex">');
  });

  it('lists the last 20 of many changes', async () => {
    const { path } = await minted();
    for (let n = 1; n <= 24; n++) await patch(path, { target: `https://repo.example.org/${n}` });
    const { text } = await get(path, 'text/html');
    expect(text).toContain('The last 20 changes, newest first.');
    expect(text).toContain('>25</th>');
    expect(text).toContain('>6</th>');
    expect(text).not.toContain('>5</th>');
  });
});

describe('a withdrawn identifier', () => {
  it('has a page with the reason and the replacement, a problem document for others, and the same link', async () => {
    const { path } = await minted({ target: 'https://repo.example.org/old' });
    const replacedBy = (await minted()).identifier;
    await step(path, 'withdraw', { reason: 'Deposited <twice>.', replacedBy });
    const page = await get(path, BROWSER);
    expect([page.status, typeOf(page), page.headers.get('cache-control')]).toEqual([410, 'text/html', 'no-store']);
    expect(page.text).toContain('Reason: <bdi>Deposited &lt;twice&gt;.</bdi>');
    expect(page.text).toContain(`<a href="http://hdl.handle.net/${replacedBy}"`);
    for (const accept of ['*/*', LINKSET]) {
      const problem = await get(path, accept);
      expect([problem.status, typeOf(problem)]).toEqual([410, 'application/problem+json']);
      expect(problem.headers.get('link')).toBe(page.headers.get('link'));
      expect([problem.headers.get('vary'), page.headers.get('vary')]).toEqual(['Accept', 'Accept']);
    }
  });
});

describe('an identifier that is not registered', () => {
  const path = `/identifiers/100.102/${'0'.repeat(32)}`;

  it('has a page that says what to check, and a problem document for others', async () => {
    const page = await get(path, BROWSER);
    expect([page.status, typeOf(page), page.headers.get('vary')]).toEqual([404, 'text/html', 'Accept']);
    expect(page.text).toContain(`The handle you requested -- 100.102/${'0'.repeat(32)} -- cannot be found`);
    const problem = await get(path, '*/*');
    expect([problem.status, typeOf(problem), problem.headers.get('vary')]).toEqual([
      404,
      'application/problem+json',
      'Accept',
    ]);
  });

  it('has no way to put an element into the page', async () => {
    const { status, text } = await get(
      `/identifiers/${encodeURIComponent('1234/<img src=x onerror=alert(1)>')}`,
      BROWSER,
    );
    expect(status).toBe(404);
    expect(text).not.toContain('<img');
  });

  it('is a problem document also for browsers where the text is no identifier', async () => {
    const answer = await get('/identifiers/word', BROWSER);
    expect([answer.status, typeOf(answer)]).toEqual([400, 'application/problem+json']);
  });
});

describe('Signposting', () => {
  const RELATIONS = ['cite-as', 'describedby', 'type', 'linkset', 'version-history'];

  it('sends the same typed links with each representation', async () => {
    const links = await Promise.all(
      ['*/*', 'text/html', LINKSET].map(async (accept) => (await get(PATH, accept)).headers.get('link')),
    );
    expect([...(links[0] ?? '').matchAll(/rel="([^"]+)"/g)].map(([, relation]) => relation)).toEqual(RELATIONS);
    expect(links[0]).toContain(`<http://hdl.handle.net/${IDENTIFIER}>; rel="cite-as"`);
    expect([links[1], links[2]]).toEqual([links[0], links[0]]);
  });

  it('RFC 9264: the link of the relation "linkset" leads to the link set, whose URLs are absolute', async () => {
    const [, path = ''] = /<([^>]+)>; rel="linkset"/.exec((await get(PATH)).headers.get('link') ?? '') ?? [];
    const { linkset } = JSON.parse((await get(path, LINKSET)).text);
    expect(linkset).toHaveLength(1);
    const { anchor, ...relations } = linkset[0];
    expect(anchor).toBe(service.client.base + path);
    expect(Object.keys(relations)).toEqual(['cite-as', 'describedby', 'type', 'version-history']);
    for (const [{ href }] of Object.values<[{ href: string }]>(relations)) expect(href).toMatch(/^https?:\/\//);
    expect((await get(new URL(relations['version-history'][0].href).pathname)).status).toBe(200);
  });

  it('a metadata record names the objects that it describes', async () => {
    const metadata = await minted();
    const object = await minted({ metadataId: metadata.identifier });
    const { linkset } = JSON.parse((await get(metadata.path, LINKSET)).text);
    expect(linkset[0].describes).toEqual([{ href: `http://hdl.handle.net/${object.identifier}` }]);
  });
});
