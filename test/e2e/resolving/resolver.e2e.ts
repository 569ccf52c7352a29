import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { FORM, TARGET, registerRecords } from '../harness/resolver-records.js';
import { useService } from '../harness/service.js';

const service = useService();

const CREDENTIALS = { authorization: 'Basic eDp5' };

let [active, bare, withdrawn, reserved] = ['', '', '', ''];

beforeAll(async () => {
  ({ active, bare, withdrawn, reserved } = await registerRecords(service.client));
});

const get = (target: string, headers: Record<string, string> = {}) => exchange(service.server.url, target, { headers });
const post = (target: string, body: string, headers: Record<string, string> = FORM) =>
  exchange(service.server.url, target, { method: 'POST', headers, body });

describe('a record with a target', () => {
  it('is 302 to it, verbatim, and browsers and shared caches store it for a minute', async () => {
    const { status, headers, text } = await get(`/${active}`);
    expect([status, headers.location]).toEqual([302, TARGET]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain(`href="${TARGET}"`);
    const lasting = (Date.parse(headers.expires ?? '') - Date.now()) / 1000;
    expect(lasting).toBeGreaterThan(50);
    expect(lasting).toBeLessThanOrEqual(60);
    expect(headers['cache-control']).toBe('public, max-age=60, s-maxage=60');
  });

  it('is the same for HEAD, without the body, and for POST', async () => {
    const head = await exchange(service.server.url, `/${active}`, { method: 'HEAD' });
    expect([head.status, head.headers.location, head.text]).toEqual([302, TARGET, '']);
    for (const [body, headers] of [
      ['', {}],
      ['x=1', FORM],
    ] as const) {
      const { status, headers: got } = await post(`/${active}`, body, headers);
      expect([status, got.location]).toEqual([302, TARGET]);
    }
  });

  it('is the same for a body without parameters', async () => {
    for (const body of ['[1]', '"x"', '1', 'null']) {
      const { status, headers } = await post(`/${active}`, body, { 'content-type': 'application/json' });
      expect([body, status, headers.location]).toEqual([body, 302, TARGET]);
    }
  });

  it('is the same with credentials and a callback, which applies only to action=api', async () => {
    const { status, headers } = await get(`/${active}?callback=f`, CREDENTIALS);
    expect([status, headers.location]).toEqual([302, TARGET]);
    expect((await get(`/${active}?callback=f&noredirect`, CREDENTIALS)).status).toBe(200);
    expect((await get('/100.102/x?callback=f', CREDENTIALS)).status).toBe(404);
  });

  it('is found in every notation of a path', async () => {
    const upper = active.toUpperCase();
    const escaped = encodeURIComponent(active);
    for (const path of [
      ...[upper, upper.toLowerCase(), escaped, `/${active}`, `%20${active}`, `${active}%20`, `${active}%00`],
      ...[
        `hdl:${active}`,
        `HDL:${active}`,
        `doi:${active}`,
        `info:hdl/${active}`,
        `hdl://${active}`,
        `hdl:%20${active}`,
      ],
      ...[`http://hdl.handle.net/${active}`, `https://doi.org/${active}`, `https:/hdl.handle.net/${active}`],
      ...[`${service.server.url}/${active}`, `${active}#part`, `${active}?unknown=1`, `${active}%3Fquery`],
      ...[encodeURIComponent(`hdl:${active}`), encodeURIComponent(`https://hdl.handle.net/${active}`)],
    ]) {
      const { status, headers } = await get(`/${path}`);
      expect([path, status, headers.location]).toEqual([path, 302, TARGET]);
    }
    const { status } = await get(`http://127.0.0.1/${active}`);
    expect(status).toBe(302);
  });

  it('is found under a prefix of letters, in any case of them (R-15)', async () => {
    for (const path of ['/Ark/x', '/ARK/x', '/ark/x']) expect((await get(path)).status).toBe(302);
    expect((await get('/Ark/X')).status).toBe(404);
  });

  it('leads to it for type and index of its value, and is shown where the selection has no URL', async () => {
    for (const query of [
      'type=URL',
      'type=url',
      'index=1',
      'index=1&index=100',
      'index=abc',
      'type=URL&type=X',
      'auth',
    ]) {
      const { status, headers } = await get(`/${active}?${query}`);
      expect([query, status, headers.location]).toEqual([query, 302, TARGET]);
    }
    for (const query of ['type=HS_ADMIN', 'index=101', 'noredirect', 'noredirect=true', 'action=showvalues']) {
      const { status, headers, text } = await get(`/${active}?${query}`);
      expect([query, status, headers['content-type']]).toEqual([query, 200, 'text/html; charset=utf-8']);
      expect(text).toContain(active);
    }
    expect((await get(`/${active}?type=NONE`)).text).toContain('No Values Found');
    expect((await get(`/${active}?noredirect=false`)).status).toBe(302);
  });

  it('is XML for action=showurls', async () => {
    const { status, headers, text } = await get(`/${active}?action=showurls`);
    expect([status, headers['content-type']]).toEqual([200, 'text/xml; charset=utf-8']);
    expect(text).toContain(`<location id="0" href="${TARGET}"/>`);
  });

  it('has the typed links of its page for programs (FAIR Signposting)', async () => {
    const { link } = (await get(`/${active}?noredirect`)).headers;
    expect(link).toContain(`<http://hdl.handle.net/${active}>; rel="cite-as"`);
    expect(link).toContain('<http://hdl.handle.net/2000.01/A3D8BE7457C943FFB66ED4583059A8BA>; rel="describedby"');
    expect(link).toContain('<https://schema.org/AboutPage>; rel="type"');
  });

  it('is the JSON of its representation for noredirect with Accept of JSON alone', async () => {
    const { status, headers, text } = await get(`/${active}?noredirect`, { accept: 'application/json' });
    expect([status, headers['content-type'], headers.vary]).toEqual([200, 'application/json; charset=utf-8', 'Accept']);
    const { body } = await service.client.get(`/identifiers/${active}`);
    const { query: _query, fragment: _fragment, ...shown } = body;
    expect(JSON.parse(text)).toEqual(shown);
    for (const accept of ['text/html, application/json', 'application/json, */*', '*/*']) {
      expect((await get(`/${active}?noredirect`, { accept })).headers['content-type']).toMatch(/^text\/html/);
    }
    expect((await get(`/${active}`, { accept: 'application/json' })).status).toBe(302);
  });
});

it('takes parameters of POST from a form or a JSON object', async () => {
  for (const [body, headers] of [
    ['noredirect=&type=URL', FORM],
    ['{"noredirect":"true","type":"URL","x":[1]}', { 'content-type': 'application/json' }],
  ] as const) {
    const { status, text } = await post(`/${active}`, body, headers);
    expect([body, status, text.includes(TARGET), text.includes('HS_ADMIN')]).toEqual([body, 200, true, false]);
  }
});

describe('urlappend', () => {
  it.each([
    ['%3Fx%3D1', `${TARGET}?x=1`],
    ['/more', `${TARGET}/more`],
    ['/first&urlappend=/second', `${TARGET}/first`],
    ['%23part', `${TARGET}#part`],
    ['%20a%22', `${TARGET}%20a%22`],
    ['%C3%A9', `${TARGET}%C3%A9`],
    ['%25zz', `${TARGET}%25zz`],
    ['', TARGET],
    ['.evil.example', `${TARGET}.evil.example`],
    ['%2F%2Fevil.example', `${TARGET}//evil.example`],
  ])('%s is appended', async (value, location) => {
    const { status, headers } = await get(`/${active}?urlappend=${value}`);
    expect([status, headers.location]).toEqual([302, location]);
  });

  it.each(['%0D%0ASet-Cookie:%20a=b', '%0A', '%00', '%zz', '%FF', '%C2%85', 'x'.repeat(5000)])(
    'value %# of the rejected ones is 400',
    async (value) => {
      const { status, headers } = await get(`/${active}?urlappend=${value}`);
      expect([status, headers.location, headers['set-cookie']]).toEqual([400, undefined, undefined]);
    },
  );

  it.each(['.evil.example', '@evil.example', ':99', '%40evil.example%2F', '%5C%40evil.example', '0'])(
    '%s would change the host or port of a target without a path, and is rejected with 400',
    async (value) => {
      const { body } = await service.client.mint({ target: 'https://repo.example.org:8' });
      const { status, headers } = await get(`/${body.identifier}?urlappend=${value}`);
      expect([status, headers.location]).toEqual([400, undefined]);
    },
  );
});

describe('action=api', () => {
  const api = async (path: string, query = '') => {
    const { status, headers, text } = await get(`${path}?action=api${query}`);
    expect(headers['content-type']).toBe('application/json;charset=utf-8');
    return [status, JSON.parse(text)];
  };

  it('has the values computed from the record, in order of their indexes', async () => {
    const { createdAt, updatedAt } = (await service.client.get(`/identifiers/${active}`)).body;
    const seconds = (time: string) => time.replace(/\.\d+Z$/, 'Z');
    const admin = { handle: '0.NA/100.102', index: 200, permissions: '011111110011' };
    const metadataId = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';
    const value = (index: number, type: string, format: string, value: unknown, time: string) => ({
      index,
      type,
      data: { format, value },
      ttl: 86_400,
      timestamp: seconds(time),
    });
    expect(await api(`/${active.toLowerCase()}`)).toEqual([
      200,
      {
        responseCode: 1,
        handle: active.toLowerCase(),
        values: [
          value(1, 'URL', 'string', TARGET, updatedAt),
          value(100, 'HS_ADMIN', 'admin', admin, createdAt),
          value(101, 'METADATA_ID', 'string', metadataId, updatedAt),
        ],
      },
    ]);
  });

  it('has codes of the protocol for what it does not find', async () => {
    const missing = `100.102/${'0'.repeat(32)}`;
    expect(await api(`/${missing}`)).toEqual([404, { responseCode: 100, handle: missing }]);
    expect(await api(`/${reserved}`)).toEqual([404, { responseCode: 100, handle: reserved }]);
    expect(await api(`/${active}`, '&type=NONE')).toEqual([200, { responseCode: 200, values: [], handle: active }]);
    expect(await api(`/${active}`, '&index=abc')).toEqual([
      400,
      expect.objectContaining({ responseCode: 4, handle: active }),
    ]);
    expect(await api(`/${withdrawn}`)).toEqual([
      410,
      { responseCode: 100, message: 'Deposited <twice>.', handle: withdrawn },
    ]);
  });

  it('is a script with a callback of identifier characters', async () => {
    const { headers, text } = await get(`/${bare}?action=api&type=NONE&callback=cb.x(alert)`);
    expect(headers['content-type']).toBe('application/javascript;charset=utf-8');
    expect(text).toBe(`cb_x_alert_({"responseCode":200,"values":[],"handle":"${bare}"});`);
  });

  it('rejects credentials together with a callback', async () => {
    for (const name of [bare, withdrawn, '100.102/x']) {
      const { status, text } = await get(`/${name}?action=api&callback=f`, CREDENTIALS);
      expect([name, status, text]).toEqual([name, 400, expect.stringContaining('parameter \\"callback\\"')]);
    }
  });
});
