import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { FORM, TARGET, registerRecords } from '../harness/resolver-records.js';
import { useService } from '../harness/service.js';

const service = useService();

const JSON_TYPE = { 'content-type': 'application/json' };

let [active, bare, withdrawn, reserved] = ['', '', '', ''];

beforeAll(async () => {
  ({ active, bare, withdrawn, reserved } = await registerRecords(service.client));
});

const api = (handle: string, options: Parameters<typeof exchange>[2] = {}) =>
  exchange(service.server.url, `/api/handles/${handle}`, options);
const bodyOf = async (handle: string, options: Parameters<typeof exchange>[2] = {}) => {
  const { status, text } = await api(handle, options);
  return { status, body: JSON.parse(text) };
};
const typesOf = async (handle: string, options: Parameters<typeof exchange>[2] = {}) => {
  const { body } = await bodyOf(handle, options);
  return body.values.map(({ type }: { type: string }) => type);
};

describe('GET /api/handles/{handle}', () => {
  it('has the values of the record, in the form of Handle.Net', async () => {
    const { status, headers, text } = await api(active);
    expect([status, headers['content-type']]).toEqual([200, 'application/json;charset=utf-8']);
    expect(headers.vary).toBe('Accept-Encoding, User-Agent');
    expect(headers.etag).toBeUndefined();
    const body = JSON.parse(text);
    expect(Object.keys(body)).toEqual(['responseCode', 'handle', 'values']);
    expect([body.responseCode, body.handle]).toEqual([1, active]);
    expect(body.values[0]).toEqual({
      index: 1,
      type: 'URL',
      data: { format: 'string', value: TARGET },
      ttl: 86400,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(body.values.map(({ index }: { index: number }) => index)).toEqual([1, 100, 101]);
  });

  it('R-24: is found with a query, a fragment or hyphens', async () => {
    const hyphenated = active.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    for (const handle of [`${active}%3Fa=b`, `${active}%23f`, hyphenated]) {
      expect(await bodyOf(handle)).toMatchObject({ status: 200, body: { handle: decodeURIComponent(handle) } });
    }
    expect((await bodyOf(`${active}0`)).status).toBe(404);
  });

  it('repeats the handle as the client spelled it, decoded', async () => {
    const lower = active.toLowerCase();
    for (const [path, handle] of [
      [lower, lower],
      [active.replace('/', '%2F'), active],
      [active.replace(/1/, '%31'), active],
    ] as const) {
      expect((await bodyOf(path)).body.handle).toBe(handle);
    }
    expect((await bodyOf('ARK/x')).body.handle).toBe('ARK/x');
    expect((await bodyOf('Ark/a+b%20%C3%A9/%3F%23%25')).body).toEqual({
      responseCode: 100,
      handle: 'Ark/a+b é/?#%',
    });
  });

  it('selects values by type and index, and has 200 without values where none is left', async () => {
    expect(await typesOf(`${active}?type=url`)).toEqual(['URL']);
    expect(await typesOf(`${active}?type=METADATA_ID&index=1`)).toEqual(['URL', 'METADATA_ID']);
    const gone = await bodyOf(`${withdrawn}?type=URL`);
    expect([gone.status, gone.body.responseCode, gone.body.values]).toEqual([410, 100, undefined]);
    const { text } = await api(`${bare}?index=7`);
    expect(text.trim()).toBe(`{"responseCode":200,"values":[],"handle":"${bare}"}`);
    for (const index of ['abc', '0', '-1', '2147483648', 'various']) {
      const { status, body } = await bodyOf(`${active}?index=${index}`);
      expect([status, body.responseCode, body.handle]).toEqual([400, 4, active]);
    }
  });

  it('shows the same whatever Accept, auth, cert and doNotRefer say', async () => {
    const { body } = await bodyOf(active);
    for (const query of ['', '?auth=true', '?auth', '?cert=true&doNotRefer=true', '?publicOnly=true']) {
      expect((await bodyOf(active + query, { headers: { accept: 'text/html' } })).body).toEqual(body);
    }
  });

  it('is a script with a callback, whose name has no other characters than those of an identifier', async () => {
    const { status, headers, text } = await api(`${active}?callback=cb.x`);
    expect([status, headers['content-type']]).toEqual([200, 'application/javascript;charset=utf-8']);
    expect(text).toMatch(/^cb_x\(\{"responseCode":1,.*\}\);$/);
  });

  it('rejects credentials together with a callback', async () => {
    const { status, body } = await bodyOf(`${active}?callback=f`, { headers: { authorization: 'Basic eDp5' } });
    expect([status, body.responseCode, body.handle]).toEqual([400, 4, active]);
  });

  it('escapes U+2028, which ends a line of a script', async () => {
    const { text } = await api('Ark/%E2%80%A8');
    expect(text.trim()).toBe('{"responseCode":100,"handle":"Ark/\\u2028"}');
  });

  it('indents by two with pretty', async () => {
    expect((await api(`${active}?pretty`)).text).toContain('{\n  "responseCode": 1,\n  "handle"');
  });
});

describe('a handle without values', () => {
  it.each([
    ['that is not registered', () => `100.102/${'0'.repeat(32)}`, 404, 100],
    ['that is not a GUID under the profile "cordra"', () => '100.102/x', 404, 100],
    ['with an empty suffix', () => '100.102/', 404, 100],
    ['that is reserved', () => reserved, 404, 100],
    ['that was withdrawn', () => withdrawn, 410, 100],
    ['with a prefix of others', () => '99.999/x', 400, 301],
    ['of a prefix', () => '0.NA/100.102', 400, 301],
    ['without a slash', () => '100.102', 400, 301],
    ['in the form of a URI', () => `hdl:${active}`, 400, 301],
    ['behind another slash', () => `/${active}`, 400, 301],
    ['that is too long', () => `Ark/${'x'.repeat(8193)}`, 414, 4],
  ])('%s', async (_, handle, status, responseCode) => {
    const answer = await bodyOf(handle());
    expect([answer.status, answer.body.responseCode, answer.body.handle]).toEqual([status, responseCode, handle()]);
  });

  it.each(['', '/'])('that is empty has the code 102', async (end) => {
    const { status, text } = await exchange(service.server.url, `/api/handles${end}`);
    expect([status, JSON.parse(text)]).toEqual([400, { responseCode: 102, message: 'Empty handle invalid' }]);
  });

  it('that is not UTF-8 is malformed', async () => {
    const { status, body } = await bodyOf('Ark/%FF');
    expect([status, body.responseCode, body.handle]).toEqual([400, 4, 'Ark/%FF']);
  });
});

describe('methods', () => {
  it('HEAD has the status and the headers of GET', async () => {
    const [got, head] = [await api(active), await api(active, { method: 'HEAD' })];
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', got.headers['content-length']]);
  });

  it('POST reads, with parameters in a form or a JSON object', async () => {
    const post = { method: 'POST' } as const;
    expect(await typesOf(active, { ...post, headers: FORM, body: 'type=URL' })).toEqual(['URL']);
    expect(await typesOf(active, { ...post, headers: JSON_TYPE, body: '{"type":"URL"}' })).toEqual(['URL']);
    expect(await typesOf(active, { ...post, headers: JSON_TYPE, body: '{"index":1}' })).toEqual(['URL']);
    expect(await typesOf(active, { ...post, headers: JSON_TYPE, body: '{"index":["1",100]}' })).toEqual([
      'URL',
      'HS_ADMIN',
    ]);
    expect((await bodyOf(active, post)).status).toBe(200);
    for (const body of ['[]', '"x"', '{bad']) {
      const answer = await bodyOf(active, { ...post, headers: JSON_TYPE, body });
      expect([answer.status, answer.body.responseCode, answer.body.handle]).toEqual([400, 4, active]);
      expect(answer.body.message).toMatch(/^[A-Z]/);
    }
  });

  it('the parameters of a POST also apply to its errors', async () => {
    const sent = { method: 'POST', headers: FORM, body: 'callback=f&prefix=9.9&pretty' } as const;
    for (const [path, handle] of [
      ['', '9.9'],
      ['/9.9/x', '9.9/x'],
    ] as const) {
      const { status, headers, text } = await exchange(service.server.url, `/api/handles${path}`, sent);
      expect([status, headers['content-type']]).toEqual([400, 'application/javascript;charset=utf-8']);
      expect(text).toMatch(/^f\(\{\n {2}"responseCode": 301,/);
      expect(text).toContain(`"handle": "${handle}"`);
    }
  });

  it.each(['/hdlresolver/listhandles/9.9', '/hrls/handles/9.9'])('%s has no scripts', async (path) => {
    const { status, text } = await exchange(service.server.url, `${path}?callback=f`);
    expect([status, JSON.parse(text).responseCode]).toEqual([400, 301]);
  });

  it('PATCH is 501 and TRACE 405, with the code 4', async () => {
    for (const [method, status] of [
      ['PATCH', 501],
      ['TRACE', 405],
    ] as const) {
      const answer = await bodyOf(active, { method });
      expect([answer.status, answer.body.responseCode, answer.body.handle]).toEqual([status, 4, active]);
    }
  });

  it('OPTIONS permits pages of any origin to read, and no page to write under open access', async () => {
    const { status, headers } = await api(active, { method: 'OPTIONS', headers: { origin: 'https://x.example' } });
    expect(status).toBe(200);
    expect(headers.allow).toBe('GET, HEAD, POST, PUT, DELETE, OPTIONS');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-methods']).toBe('GET,POST,HEAD');
    expect(headers['access-control-max-age']).toBe('86400');
  });

  it('a page of another origin reads and does not write', async () => {
    const headers = { origin: 'https://x.example', 'sec-fetch-site': 'cross-site' };
    const got = await api(active, { headers });
    expect([got.status, got.headers['access-control-allow-origin']]).toEqual([200, '*']);
    for (const method of ['PUT', 'DELETE']) {
      const answer = await bodyOf(active, { method, headers: { ...headers, ...JSON_TYPE } });
      expect([answer.status, answer.body.responseCode]).toEqual([403, 4]);
    }
  });

  it.each([
    '/hrls/handles?limit=1',
    '/hrls/handles/100.102?limit=1',
    '/api/handles?prefix=100.102&callback=f',
    '/api/%68andles?prefix=100.102',
    '/api/prefixes',
    '/hdlresolver/listhandles/100.102',
    '/hdlresolver/listprefixes',
  ])('a page of another origin does not list: %s', async (path) => {
    const statusFor = async (headers: Record<string, string>) =>
      (await fetch(service.server.url + path, { headers })).status;
    expect(await statusFor({ origin: 'https://x.example' })).toBe(403);
    expect(await statusFor({ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' })).toBe(403);
    expect(await statusFor({})).toBe(200);
    expect(await statusFor({ origin: service.server.url })).toBe(200);
  });
});

describe('the other paths', () => {
  const get = async (path: string) => {
    const { status, text } = await exchange(service.server.url, path);
    return { status, body: JSON.parse(text) };
  };

  it('further slashes before /api are ignored', async () => {
    expect((await get(`//api/handles/${active}`)).body.responseCode).toBe(1);
  });

  it.each(['/api', '/api/', '/api/nothing', '/hrls/nothing', '/hdlresolver'])('%s is unknown', async (path) => {
    expect(await get(path)).toEqual({
      status: 404,
      body: { responseCode: 4, message: `Unknown HTTP API endpoint GET ${path}` },
    });
  });

  it('/api/site has the address of the service', async () => {
    const { status, body } = await get('/api/site');
    const { hostname, port } = new URL(service.server.url);
    expect([status, body.responseCode, body.site.protocolVersion]).toEqual([200, 1, '2.11']);
    expect(body.site.servers).toEqual([
      {
        serverId: 1,
        address: hostname,
        interfaces: [{ query: true, admin: true, protocol: 'HTTP', port: Number(port) }],
      },
    ]);
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE'])('%s /api/sessions is not supported', async (method) => {
    for (const path of ['/api/sessions', '/api/sessions/this']) {
      const { status, text } = await exchange(service.server.url, path, { method });
      expect([status, JSON.parse(text).responseCode]).toEqual([501, 4]);
    }
  });

  it('/api/prefixes has the naming authorities', async () => {
    const prefixes = ['0.NA/100.102', '0.NA/20', '0.NA/20.500', '0.NA/2000.01', '0.NA/Ark'];
    expect((await get('/api/prefixes')).body).toEqual({ responseCode: 1, totalCount: '5', prefixes });
  });
});

describe('GET /api/handles?prefix=', () => {
  const list = async (query: string) => {
    const { status, text } = await exchange(service.server.url, `/api/handles?${query}`);
    return { status, body: JSON.parse(text), keys: Object.keys(JSON.parse(text)) };
  };

  beforeAll(async () => {
    for (const [namingAuthority, caseInsensitive] of [
      ['List', true],
      ['Exact', false],
    ] as const) {
      const created = { namingAuthority, profile: 'handle', caseInsensitive };
      expect((await service.client.post('/naming-authorities', created)).status).toBe(201);
      for (const localName of ['b', 'A', 'c/d', 'Zz', 'é']) {
        expect((await service.client.mint({ namingAuthority, localName })).status).toBe(201);
      }
    }
  });

  it('has the handles in upper case and sorted, and their number as a text', async () => {
    const { status, body, keys } = await list('prefix=list');
    expect([status, keys]).toEqual([200, ['responseCode', 'prefix', 'totalCount', 'handles']]);
    expect(body).toEqual({
      responseCode: 1,
      prefix: 'list',
      totalCount: '5',
      handles: ['LIST/A', 'LIST/B', 'LIST/C/D', 'LIST/ZZ', 'LIST/é'],
    });
    expect((await list('prefix=0.NA/List')).body.handles).toHaveLength(5);
  });

  it('has the letters of a prefix beyond ASCII as they are, so that each Handle can be read (R-15)', async () => {
    const created = { namingAuthority: 'straße.ü', profile: 'handle', caseInsensitive: true };
    expect((await service.client.post('/naming-authorities', created)).status).toBe(201);
    expect((await service.client.mint({ namingAuthority: 'straße.ü', localName: 'x' })).status).toBe(201);
    const { body } = await list(`prefix=${encodeURIComponent('straße.ü')}`);
    expect(body.handles).toEqual(['STRAßE.ü/X']);
    const { status } = await exchange(service.server.url, `/api/handles/${encodeURIComponent(body.handles[0])}`);
    expect(status).toBe(200);
  });

  it('has them as registered where case distinguishes them', async () => {
    expect((await list('prefix=Exact')).body.handles).toEqual([
      'Exact/A',
      'Exact/Zz',
      'Exact/b',
      'Exact/c/d',
      'Exact/é',
    ]);
  });

  it('has GUIDs, and neither withdrawn nor reserved identifiers', async () => {
    expect((await list('prefix=100.102')).body.handles.sort()).toEqual([active, bare].sort());
  });

  it('has pages', async () => {
    const { body, keys } = await list('prefix=List&page=1&pageSize=2');
    expect(keys).toEqual(['responseCode', 'prefix', 'totalCount', 'page', 'pageSize', 'handles']);
    expect(body).toMatchObject({ totalCount: '5', page: 1, pageSize: 2, handles: ['LIST/C/D', 'LIST/ZZ'] });
    expect((await list('prefix=List&page=9&pageSize=2')).body.handles).toEqual([]);
    expect((await list('prefix=List&page=0&pageSize=0')).body).toMatchObject({ pageSize: 0, handles: [] });
    expect((await list('prefix=List&pageSize=0')).body.handles).toHaveLength(5);
    for (const query of ['page=x', 'page=-1', 'pageSize=1.5', 'page=99999999999']) {
      const rejected = await list(`prefix=List&${query}`);
      expect([rejected.status, rejected.body.responseCode]).toEqual([400, 4]);
    }
  });

  it('has the code 301 for an unknown prefix', async () => {
    expect(await list('prefix=99.1')).toMatchObject({ status: 400, body: { responseCode: 301, handle: '99.1' } });
    expect(await list('prefix=')).toMatchObject({ status: 400, body: { responseCode: 301 } });
  });
});
