import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../harness/client.js';
import { type Exchanged, exchange } from '../harness/exchange.js';
import { freshGuid } from '../harness/fresh-names.js';
import { ADMIN, useLimitedServices } from '../harness/limited-services.js';

const LINKSET = 'application/linkset+json';
const typeOf = (headers: Exchanged['headers']) => headers['content-type']?.split(';')[0];
const TARGET = 'https://repo.example.org/objects/7';
const METADATA = '2000.01/A3D8BE7457C943FFB66ED4583059A8BA';

/** A header that only the hooks of the framework read: its request is not answered directly. */
const BY_FRAMEWORK = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

const services = useLimitedServices();
/** A service with public reading, and one where reading needs a key. */
let [client, closed]: [Client, Client] = [{} as Client, {} as Client];

beforeAll(async () => {
  const resolver = { RESOLVER_AUTHORITY: 'id.example.org', RESOLVER_SCHEME: 'https', RESOLVER_FIRST_SEGMENT: 'hdl' };
  client = await services.start({ ...resolver, INTERFACES: 'api,resolver,handles' });
  closed = await services.start({ ...resolver, PUBLIC_READ: 'false', INTERFACES: 'api,resolver' });
  const settings = { namingAuthority: '2070', profile: 'handle', storesHandleValues: true };
  expect((await client.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
  expect((await client.post('/naming-authorities', { namingAuthority: '8' }, ADMIN)).status).toBe(201);
});

async function mint(fields: object): Promise<string> {
  const { status, body } = await client.mint({ target: TARGET, ...fields }, ADMIN);
  expect(status).toBe(201);
  return body.identifier as string;
}

async function change(identifier: string, fields: object): Promise<void> {
  const headers = { ...ADMIN, 'content-type': 'application/merge-patch+json', 'if-match': '*' };
  const { status } = await client.send('PATCH', `/identifiers/${identifier}`, headers, JSON.stringify(fields));
  expect(status).toBe(200);
}

const get = (path: string, headers: Record<string, string> = {}, by = client) => exchange(by.base, path, { headers });
const at = (identifier: string) => `https://id.example.org/hdl/${identifier}`;
const linksOf = async (path: string, headers?: Record<string, string>, by?: Client) =>
  String((await get(path, headers, by)).headers.link ?? '').split(', ');

const linkset = (identifier: string) => `</hdl/${identifier}>; rel="linkset"; type="application/linkset+json"`;
const link = (identifier: string, rel: string) => `<${at(identifier)}>; rel="${rel}"`;

describe('the links of an identifier', () => {
  it.each([
    ['answered directly', {}],
    ['of the framework', BY_FRAMEWORK],
  ])('are in its redirect, %s: link set, metadata record, previous and newer versions', async (_, headers) => {
    const first = await mint({});
    const second = await mint({ previousVersion: first, metadataId: `hdl:2000.01/${freshGuid()}` });
    const third = await mint({ previousVersion: second });
    const { metadataId } = (await client.get(`/identifiers/${second}`)).body;
    // The second one is answered from memory.
    for (const _time of [1, 2]) {
      const { status, headers: got } = await get(`/${second}`, headers);
      expect([status, got.location, got.vary]).toEqual([302, TARGET, 'Accept']);
      expect(got['access-control-expose-headers']).toContain('Link');
      expect(String(got.link).split(', ')).toEqual([
        linkset(second),
        link(metadataId.slice('hdl:'.length), 'describedby'),
        link(first, 'predecessor-version'),
        link(third, 'successor-version'),
      ]);
    }
  });

  it('are in a redirect by stored values, and not in the answer of action=api', async () => {
    const values = [
      { index: 1, type: 'URL', data: TARGET, ttl: 60 },
      { index: 5, type: '10320/loc', data: '<locations><location href="https://b.example/" weight="1"/></locations>' },
    ];
    const name = `2070/${freshGuid()}x`;
    const put = {
      method: 'PUT',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      body: JSON.stringify(values),
    };
    expect((await exchange(client.base, `/api/handles/${name}`, put)).status).toBe(201);
    const { status, headers } = await get(`/${name}`);
    expect([status, headers.location, headers.link, headers.vary]).toEqual([
      302,
      'https://b.example/',
      linkset(name),
      'Accept',
    ]);
    expect((await get(`/${name}?urlappend=x`)).headers.link).toBe(linkset(name));
    expect((await get(`/${name}?action=api`)).headers.link).toBeUndefined();
  });

  it('are on its page with those of FAIR Signposting', async () => {
    const guid = freshGuid();
    const identifier = await mint({ guid, metadataId: `hdl:${METADATA}` });
    const expected = [
      linkset(identifier),
      link(identifier, 'cite-as'),
      link(METADATA, 'describedby'),
      '<https://schema.org/AboutPage>; rel="type"',
    ];
    expect(await linksOf(`/${identifier.toLowerCase()}?noredirect`)).toEqual(expected);
  });

  it('are in 410, with the replacement first, and without a name of the page', async () => {
    const [previous, metadataId] = [await mint({}), `hdl:2000.01/${freshGuid()}`];
    const identifier = await mint({ metadataId, previousVersion: previous });
    const successor = await mint({ previousVersion: identifier });
    const body = { reason: 'Deposited twice.', replacedBy: successor };
    expect((await client.post(`/identifiers/${identifier}/withdraw`, body, ADMIN)).status).toBe(200);
    for (const accept of ['text/html', 'application/json']) {
      const { status, headers } = await get(`/${identifier}`, { accept });
      expect([status, String(headers.link).split(', ')]).toEqual([
        410,
        [
          linkset(identifier),
          link(metadataId.slice('hdl:'.length), 'describedby'),
          link(successor, 'http://purl.org/dc/terms/isReplacedBy'),
          link(previous, 'predecessor-version'),
          link(successor, 'successor-version'),
        ],
      ]);
    }
  });

  it('take at most 1 KB with many versions and a long name, and contain the link set', async () => {
    const identifier = await mint({ metadataId: `hdl:77.7/${'é'.repeat(120)}` });
    const items = Array.from({ length: 21 }, () => ({ previousVersion: identifier, target: TARGET }));
    const batch = await client.post('/identifiers/batch', { namingAuthority: '100.102', items }, ADMIN);
    expect(batch.body.items).toHaveLength(21);
    for (const path of [`/${identifier}`, `/${identifier}?noredirect`]) {
      const { headers } = await get(path);
      expect(`link: ${String(headers.link)}\r\n`.length).toBeLessThanOrEqual(1024);
      expect(headers.link).toContain(linkset(identifier));
      expect(headers.link).toContain('; rel="describedby"');
    }
    const versions = JSON.parse((await get(`/${identifier}`, { accept: LINKSET })).text).linkset[0];
    expect(versions['successor-version']).toHaveLength(20);
  });
});

describe('the link set of an identifier', () => {
  it('RFC 9264: answers Accept at each spelling, and has its target and what it describes', async () => {
    const metadataId = `2000.01/${freshGuid()}`;
    const identifier = await mint({ metadataId: `hdl:${metadataId}` });
    await mint({ namingAuthority: '2000.01', guid: metadataId.slice('2000.01/'.length) });
    // Fills the cache with the redirect.
    await get(`/${identifier}`);
    for (const path of [`/${identifier}`, `/hdl/${identifier.toLowerCase()}?noredirect`]) {
      const { status, headers, text } = await get(path, { accept: 'Application/LinkSet+JSON, text/html;q=0.5' });
      expect([status, typeOf(headers), headers.vary, headers['cache-control']]).toEqual([
        200,
        LINKSET,
        'Accept',
        'no-cache',
      ]);
      expect(JSON.parse(text)).toEqual({
        linkset: [{ anchor: at(identifier), item: [{ href: TARGET }], describedby: [{ href: at(metadataId) }] }],
      });
    }
    const described = JSON.parse((await get(`/${metadataId}`, { accept: LINKSET })).text).linkset[0];
    expect(described.describes).toEqual([{ href: at(identifier) }]);
  });

  it.each(['text/html, application/linkset+json;q=0.9', '*/*', 'application/*'])(
    'is not sent to a client that prefers another type: %s',
    async (accept) => {
      expect((await get(`/${await mint({})}`, { accept })).status).toBe(302);
    },
  );

  it('is 410 for a withdrawn identifier, without the target', async () => {
    const [identifier, successor] = [await mint({}), await mint({})];
    const body = { reason: 'Old.', replacedBy: successor };
    expect((await client.post(`/identifiers/${identifier}/withdraw`, body, ADMIN)).status).toBe(200);
    const { status, headers, text } = await get(`/${identifier}`, { accept: LINKSET });
    expect([status, typeOf(headers)]).toEqual([410, LINKSET]);
    const context = { anchor: at(identifier), 'http://purl.org/dc/terms/isReplacedBy': [{ href: at(successor) }] };
    expect(JSON.parse(text)).toEqual({ linkset: [context] });
  });
});

describe('the redirect from memory', () => {
  it('has the links of each change of this process at once', async () => {
    const identifier = await mint({});
    await get(`/${identifier}`);
    await change(identifier, { metadataId: 'hdl:77.7/a/x' });
    expect(await linksOf(`/${identifier}`)).toContain(link('77.7/a%2Fx', 'describedby'));
    await change(identifier, { metadataId: null });
    expect(await linksOf(`/${identifier}`)).toEqual([linkset(identifier)]);
    const previous = await mint({});
    await get(`/${previous}`);
    await change(identifier, { previousVersion: previous });
    expect(await linksOf(`/${identifier}`)).toContain(link(previous, 'predecessor-version'));
    expect(await linksOf(`/${previous}`)).toContain(link(identifier, 'successor-version'));
  });

  it('has a newer version as soon as this process has minted it', async () => {
    const first = await mint({});
    await get(`/${first}`);
    const second = await mint({ previousVersion: `hdl:${first.toLowerCase()}` });
    expect(await linksOf(`/${first}`)).toContain(link(second, 'successor-version'));
    const items = [{ previousVersion: second, target: TARGET }];
    await get(`/${second}`);
    const { body } = await client.post('/identifiers/batch', { namingAuthority: '100.102', items }, ADMIN);
    expect(await linksOf(`/${second}`)).toContain(link(body.items[0].identifier, 'successor-version'));
  });
});

describe('the page of an identifier', () => {
  it('RFC 6596: names its URL for search engines in the canonical spelling, and is not listed when withdrawn', async () => {
    const identifier = await mint({});
    const pages = {
      [`/${identifier.toLowerCase()}?noredirect`]: `/hdl/${identifier}?noredirect`,
      [`/hdl%3A${identifier.toLowerCase()}?action=showvalues`]: `/hdl/${identifier}?noredirect`,
      [`/identifiers/${identifier.toLowerCase()}`]: `/identifiers/${identifier}`,
    };
    for (const [path, canonical] of Object.entries(pages)) {
      const { status, text } = await get(path, { accept: 'text/html' });
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain(`<link rel="canonical" href="${canonical}">`);
      expect((await get(canonical, { accept: 'text/html' })).text).toContain(
        `<link rel="canonical" href="${canonical}">`,
      );
    }
    const gone = await client.post(`/identifiers/${identifier}/withdraw`, { reason: 'Twice.' }, ADMIN);
    expect(gone.status).toBe(200);
    for (const path of [`/${identifier}`, `/${identifier}?noredirect`, `/identifiers/${identifier}`]) {
      const { status, text } = await get(path, { accept: 'text/html' });
      expect([path, status]).toEqual([path, 410]);
      expect(text).toContain('<meta name="robots" content="noindex">');
      expect(text).not.toMatch(/Citation|rel="canonical"/);
    }
  });
});

describe('where reading needs a key', () => {
  it('leads only to what the key may see, whether or not a naming authority exists', async () => {
    const metadataIds = [`8/${freshGuid()}`, `9/${freshGuid()}`, `100.102/${freshGuid()}`];
    const created = { client: 'reader', scopes: ['read'], namingAuthorities: [{ namingAuthority: '100.102' }] };
    const { secret } = (await client.post('/api-keys', created, ADMIN)).body;
    const reader = { authorization: `Bearer ${secret}` };
    const hidden = await mint({ namingAuthority: '8', guid: freshGuid() });
    const records = [];
    for (const metadataId of metadataIds) {
      const identifier = await mint({ metadataId: `hdl:${metadataId}`, previousVersion: hidden });
      await mint({ namingAuthority: '8', previousVersion: identifier });
      records.push(identifier);
    }
    const own = metadataIds[2] ?? '';
    for (const [index, identifier] of records.entries()) {
      const described = index === 2 ? [link(own, 'describedby')] : [];
      const { headers, status } = await get(`/${identifier}`, reader, closed);
      expect([status, headers['cache-control']]).toEqual([302, 'private, max-age=60']);
      expect(String(headers.link).split(', ')).toEqual([linkset(identifier), ...described]);
      const page = await linksOf(`/${identifier}?noredirect`, reader, closed);
      expect(page.filter((each) => /describedby|version/.test(each))).toEqual(described);
      const set = JSON.parse((await get(`/${identifier}`, { ...reader, accept: LINKSET }, closed)).text).linkset[0];
      expect(Object.keys(set)).toEqual(['anchor', 'item', ...(index === 2 ? ['describedby'] : [])]);
      expect(await linksOf(`/${identifier}`, ADMIN, closed)).toContain(link(hidden, 'predecessor-version'));
    }
    expect((await get(`/${records[0]}`, { accept: LINKSET }, closed)).status).toBe(401);
  });
});
