import { beforeAll, describe, expect, it } from '@jest/globals';
import { ndjson, sendChanges } from '../harness/changes.js';
import { exchange } from '../harness/exchange.js';
import { freshGuid } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
type Headers = Record<string, string>;
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);

const JSON_TYPE = 'application/json';
const HTML = 'text/html';
const TARGET = 'https://repo.example.org/described';

/** The names of the objects and of the new versions of a record: those of its own naming authority, and of another. */
const OF_SEVEN = ['described under 7', 'newer under 7'];
const ALL = [...OF_SEVEN, 'described under 8', 'newer under 8'].sort();

describe.each([
  ['open', 'true'],
  ['closed', 'false'],
])('where reading is %s', (reading, publicRead) => {
  const service = useService({
    ACCESS: 'keys',
    ADMIN_API_KEY: ADMIN_KEY,
    PUBLIC_READ: publicRead,
    INTERFACES: 'api,resolver,handles',
    NAMING_AUTHORITIES: '7,8',
  });
  const metadataId = `hdl:20.1000/${freshGuid()}`;
  const guids = new Map<string, string>();
  let key: Headers;
  let record: string;
  let withdrawn: string;

  const mint = async (namingAuthority: string, fields: object): Promise<string> => {
    const { status, body } = await service.client.mint({ namingAuthority, ...fields }, ADMIN);
    expect(status).toBe(201);
    return body.identifier as string;
  };
  /** Registers what `of` describes and what replaces it, under both naming authorities. */
  const relate = async (of: string): Promise<void> => {
    for (const prefix of ['7', '8']) {
      guids.set((await mint(prefix, { metadataId: of })).slice(2), `described under ${prefix}`);
      guids.set((await mint(prefix, { previousVersion: of })).slice(2), `newer under ${prefix}`);
    }
  };

  beforeAll(async () => {
    const namingAuthorities = [{ namingAuthority: '7' }];
    const fields = { client: 'curator', scopes: ['read', 'mint', 'curate'], namingAuthorities };
    const { status, body } = await service.client.post('/api-keys', fields, ADMIN);
    expect(status).toBe(201);
    key = bearer(body.secret as string);
    record = await mint('7', { metadataId, target: TARGET, alternateIds: ['demo:described'] });
    withdrawn = await mint('7', { target: TARGET });
    await relate(record);
    await relate(withdrawn);
    expect((await service.client.post(`/identifiers/${withdrawn}/withdraw`, { reason: 'x' }, ADMIN)).status).toBe(200);
  });

  const namesIn = (text: string): string[] =>
    [...new Set([...guids].flatMap(([guid, name]) => (text.includes(guid) ? [name] : [])))].sort();

  /** Sends a request, and names the related identifiers that the headers and the body of its response have. */
  const relatedIn = async (
    path: string,
    headers: Headers,
    { method = 'GET', body, status = 200 }: { method?: string; body?: object | string; status?: number } = {},
  ): Promise<string[]> => {
    const type: Headers = typeof body === 'object' ? { 'content-type': JSON_TYPE } : {};
    const sent = typeof body === 'object' ? JSON.stringify(body) : body;
    const answer = await exchange(service.server.url, path, {
      method,
      headers: { ...type, ...headers },
      ...(sent !== undefined && { body: sent }),
    });
    expect([path, answer.status]).toEqual([path, status]);
    return namesIn(`${JSON.stringify(answer.headers)}${answer.text}`);
  };

  /** As `relatedIn`, with the first events of a stream. */
  const streamed = async (path: string, headers: Headers): Promise<string[]> => {
    const answer = await fetch(service.server.url + path, { headers: { ...headers, accept: 'text/event-stream' } });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    // The last event.
    while (!text.includes('"kind":"withdrawn"')) text += (await reader.read()).value ?? '';
    await reader.cancel();
    return namesIn(text);
  };

  type View = (headers: Headers) => Promise<string[]>;
  const page =
    (path: () => string, accept: string, status = 200): View =>
    (headers) =>
      relatedIn(path(), { ...headers, accept }, { status });
  const onExisting = { namingAuthority: '7', metadataId, onExisting: 'return' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each<[string, View]>([
    ['the record', page(() => `/identifiers/${record}`, JSON_TYPE)],
    ['its page', page(() => `/identifiers/${record}`, HTML)],
    ['its link set', page(() => `/identifiers/${record}`, 'application/linkset+json')],
    ['the page of a withdrawn record', page(() => `/identifiers/${withdrawn}`, HTML, 410)],
    ['a list by metadata ID', page(() => `/identifiers?metadataId=${metadataId}`, JSON_TYPE)],
    ['a list by alternate identifier', page(() => '/identifiers?alternateId=demo:described', JSON_TYPE)],
    ['a list by target', page(() => `/identifiers?state=active&target=${TARGET}`, JSON_TYPE)],
    ['the list', page(() => '/identifiers?limit=1000', JSON_TYPE)],
    ['the export', page(() => '/identifiers/export', 'application/x-ndjson')],
    ['the export as CSV', page(() => '/identifiers/export', 'text/csv')],
    ['the events', page(() => '/events?limit=1000', JSON_TYPE)],
    ['the stream of events', (headers) => streamed('/events', headers)],
    [
      'a look-up',
      (h) =>
        relatedIn('/identifiers/lookup', h, {
          method: 'POST',
          body: { items: [record, metadataId, 'demo:described'] },
        }),
    ],
    ['a mint of an existing one', (h) => relatedIn('/identifiers', h, { method: 'POST', body: onExisting })],
    [
      'a batch of an existing one',
      (h) => relatedIn('/identifiers/batch', h, { method: 'POST', body: { items: [onExisting] } }),
    ],
    [
      'a bulk of an existing one',
      (h) => {
        const headers = { ...h, 'content-type': 'application/x-ndjson' };
        return relatedIn('/identifiers/bulk', headers, { method: 'POST', body: ndjson(onExisting) });
      },
    ],
    ['a change', (h) => relatedIn(`/identifiers/${record}`, { ...h, 'if-match': '*' }, { method: 'PATCH', body: {} })],
    [
      'a stream of changes',
      async (headers) => {
        const { status, lines } = await sendChanges(service.client, ndjson({ identifier: record, target: TARGET }), {
          headers,
        });
        expect([status, lines[0].status]).toEqual([200, 200]);
        return namesIn(JSON.stringify(lines));
      },
    ],
    ['the resolver with ?noredirect as JSON', page(() => `/${record}?noredirect`, JSON_TYPE)],
    ['the resolver with ?noredirect as a page', page(() => `/${record}?noredirect`, HTML)],
    ['the resolver with ?noredirect and any Accept', page(() => `/${record}?noredirect`, '*/*')],
    ['the resolver of a withdrawn record as a page', page(() => `/${withdrawn}`, HTML, 410)],
    [
      'the form of the resolver',
      (h) => relatedIn('/', { ...h, ...form, accept: HTML }, { method: 'POST', body: `hdl=${record}&noredirect=true` }),
    ],
  ])('%s shows the related identifiers that the key can see', async (_, view) => {
    expect(await view(ADMIN)).toEqual(ALL);
    expect(await view(key)).toEqual(reading === 'open' ? ALL : OF_SEVEN);
  });

  it('the naming authorities are those that the key can see, and so are their relatives', async () => {
    expect((await service.client.post('/naming-authorities', { namingAuthority: '7.1' }, ADMIN)).status).toBe(201);
    const seen = async (headers: Headers) => {
      const pages: string[] = [];
      for (let query = '?limit=1'; ;) {
        const { body } = await service.client.get(`/naming-authorities${query}`, headers);
        pages.push(...body.items.map((item: { namingAuthority: string }) => item.namingAuthority));
        if (body.next === null) break;
        query = `?limit=1&cursor=${body.next}`;
      }
      return [pages, (await service.client.get('/naming-authorities/7', headers)).body.children];
    };
    expect(await seen(ADMIN)).toEqual([['7', '7.1', '8'], ['7.1']]);
    expect(await seen(key)).toEqual(reading === 'open' ? [['7', '7.1', '8'], ['7.1']] : [['7'], []]);
  });

  it('the events of a naming authority are those of one that the key can see', async () => {
    const kinds = async (prefix: string, headers: Headers) => {
      const found: string[] = [];
      for (let query = ''; ;) {
        const { body } = await service.client.get(`/events?namingAuthority=${prefix}&limit=2${query}`, headers);
        if (body.items.length === 0) return found;
        found.push(...body.items.map((event: { kind: string }) => event.kind));
        query = `&cursor=${body.next}`;
      }
    };
    const ofEight = ['created', 'minted', 'minted', 'minted', 'minted'];
    expect(await kinds('8', ADMIN)).toEqual(ofEight);
    expect(await kinds('8', key)).toEqual(reading === 'open' ? ofEight : []);
    expect((await kinds('7', key)).slice(0, 7)).toEqual(['created', ...Array.from({ length: 6 }, () => 'minted')]);
  });
});
