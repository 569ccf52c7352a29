import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from './harness/exchange.js';
import { NEXT_YEAR } from './harness/reservations.js';
import { useService } from './harness/service.js';

const service = useService();

const TARGET = 'https://repo.example.org/objects/7';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** What Handle.Net answers for the default time to live of a value. */
const DAY_SECONDS = 86_400;

let [active, bare, withdrawn, reserved] = ['', '', '', ''];

beforeAll(async () => {
  const { client } = service;
  for (const namingAuthority of ['20', '20.500', 'Ark']) {
    const profile = namingAuthority === '20' ? 'cordra' : 'handle';
    expect((await client.post('/naming-authorities', { namingAuthority, profile })).status).toBe(201);
  }
  const minted = async (fields: object) => (await client.mint(fields)).body.identifier as string;
  active = await minted({ target: TARGET, metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA' });
  bare = await minted({});
  reserved = await minted({ target: TARGET, state: 'reserved', leaseUntil: NEXT_YEAR });
  withdrawn = await minted({ target: TARGET });
  const gone = await client.post(`/identifiers/${withdrawn}/withdraw`, {
    reason: 'Deposited <twice>.',
    replacedBy: active,
  });
  expect(gone.status).toBe(200);
  await client.mint({ namingAuthority: 'Ark', localName: 'x', target: TARGET });
});

const get = (target: string, headers: Record<string, string> = {}) => exchange(service.server.url, target, { headers });
const post = (target: string, body: string, headers: Record<string, string> = FORM) =>
  exchange(service.server.url, target, { method: 'POST', headers, body });

describe('a record with a target', () => {
  it('is 302 to it, verbatim, with the time until which the value may be cached', async () => {
    const { status, headers, text } = await get(`/${active}`);
    expect([status, headers.location]).toEqual([302, TARGET]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain(`href="${TARGET}"`);
    const lasting = (Date.parse(headers.expires ?? '') - Date.now()) / 1000;
    expect(lasting).toBeGreaterThan(DAY_SECONDS - 10);
    expect(lasting).toBeLessThanOrEqual(DAY_SECONDS);
    expect(headers['cache-control']).toBe(`public, max-age=${DAY_SECONDS}`);
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
    'value %# of the refused ones is 400',
    async (value) => {
      const { status, headers } = await get(`/${active}?urlappend=${value}`);
      expect([status, headers.location, headers['set-cookie']]).toEqual([400, undefined, undefined]);
    },
  );

  it.each(['.evil.example', '@evil.example', ':99', '%40evil.example%2F', '%5C%40evil.example', '0'])(
    '%s would change the host or port of a target without a path, and is refused with 400',
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
      ttl: DAY_SECONDS,
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
});

describe('what leads nowhere', () => {
  it('without a target is the page of the record', async () => {
    const { status, headers, text } = await get(`/${bare}`);
    expect([status, headers['content-type'], headers.vary]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
    expect(text).toContain(bare);
  });

  it('unknown or reserved is a page 404, or a problem', async () => {
    for (const name of [`100.102/${'0'.repeat(32)}`, reserved, '100.102/x', '100.102/', '100.102', '20.500/%3Cb%3E']) {
      const { status, headers, text } = await get(`/${name}`);
      expect([name, status, headers['content-type']]).toEqual([name, 404, 'text/html; charset=utf-8']);
      const shown = decodeURIComponent(name).replace(/[<>]/g, (character) => `&#${character.charCodeAt(0)};`);
      expect(
        text
          .replaceAll('&lt;', '&#60;')
          .replaceAll('&gt;', '&#62;')
          .replace(/<\/?bdi>/g, ''),
      ).toContain(`The handle you requested -- ${shown} -- cannot be found`);
      const problem = await get(`/${name}`, { accept: 'application/json' });
      expect(problem.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect([problem.status, JSON.parse(problem.text).code]).toEqual([404, 'IDENTIFIER_NOT_FOUND']);
    }
  });

  it('withdrawn is a page 410 with the reason and the replacement, or a problem with the tombstone', async () => {
    for (const query of ['', '?noredirect', '?urlappend=x']) {
      const { status, text } = await get(`/${withdrawn}${query}`);
      expect(status).toBe(410);
      expect(text).toContain(active);
      expect(text).not.toContain('<twice>');
      expect(text).toMatch(/Deposited &(lt|#60);twice&(gt|#62);\./);
    }
    const { status, text } = await get(`/${withdrawn}`, { accept: 'application/json' });
    const { code, tombstone } = JSON.parse(text);
    expect([status, code, tombstone.replacedBy]).toEqual([410, 'IDENTIFIER_WITHDRAWN', active]);
  });

  it('longer than any identifier is 414', async () => {
    for (const name of ['x'.repeat(8193), '%C3%A9'.repeat(4097), 'x'.repeat(60_000)]) {
      expect((await get(`/20.500/${name}`)).status).toBe(414);
    }
    const problem = await get(`/20.500/${'x'.repeat(8193)}`, { accept: 'application/json' });
    expect(JSON.parse(problem.text).code).toBe('NAME_TOO_LONG');
    expect((await get(`/20.500/${'x'.repeat(8192)}`)).status).toBe(404);
  });

  it('with a broken escape is 400', async () => {
    for (const name of ['%zz', '%FF', '%', '%C3'])
      expect([name, (await get(`/20.500/${name}`)).status]).toEqual([name, 400]);
  });

  it.each([
    '/99.999/x',
    '/nowhere/x',
    '/nowhere',
    '/api',
    '/api/handles/20.500/x',
    '/hdl/20.500/x',
    '/{handle}',
    '/%7Bhandle%7D',
  ])('%s is the problem of a path that does not exist', async (path) => {
    const { status, headers, text } = await get(path);
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    expect([status, JSON.parse(text)]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND', detail: `Cannot GET ${path}` }),
    ]);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the form', () => {
  it('at / resolves pasted texts in any form', async () => {
    const page = await (await fetch(`${service.server.url}/`, { headers: { accept: 'text/html' } })).text();
    expect(page).toMatch(/<form method="post" action="\/">[^]*name="hdl"/);
    for (const text of [active, `hdl:${active}`, ` info:hdl/${active}`, `https://hdl.handle.net/${active}`]) {
      const { status, headers } = await post('/', new URLSearchParams({ hdl: text }).toString());
      expect([text, status, headers.location]).toEqual([text, 302, TARGET]);
    }
    expect((await post('/', `hdl=${active}&noredirect=`)).status).toBe(200);
  });

  it('refuses what is no Handle with a page', async () => {
    for (const [body, status] of [
      ['', 400],
      ['hdl=', 400],
      ['hdl=nonsense', 400],
      ['hdl=demo:1', 400],
      ['hdl=99.999/x', 404],
      [`hdl=${'x'.repeat(60_000)}`, 414],
    ] as const) {
      const answer = await post('/', body);
      expect([body.slice(0, 20), answer.status, answer.headers['content-type']]).toEqual([
        body.slice(0, 20),
        status,
        'text/html; charset=utf-8',
      ]);
    }
    expect((await get(`/?hdl=${active}`)).status).toBe(200);
  });
});

describe('a page of another origin', () => {
  const ORIGIN = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };

  it('may read every response, with GET and POST', async () => {
    for (const path of [
      `/${active}`,
      `/${active}?noredirect`,
      `/${active}?action=api`,
      '/20.500/missing',
      `/${withdrawn}`,
    ]) {
      const { headers, status } = await get(path, ORIGIN);
      expect([path, status < 403 || status === 404 || status === 410]).toEqual([path, true]);
      expect([path, headers['access-control-allow-origin']]).toEqual([path, '*']);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
    expect((await post('/', `hdl=${active}`, { ...FORM, ...ORIGIN })).status).toBe(302);
  });

  it('gets its preflight request answered', async () => {
    const { status, headers } = await exchange(service.server.url, `/${active}`, {
      method: 'OPTIONS',
      headers: ORIGIN,
    });
    expect([status, headers.allow, headers['access-control-allow-origin']]).toEqual([
      204,
      'GET, HEAD, OPTIONS, POST',
      '*',
    ]);
  });

  it('is still refused by the REST API, and under another host name', async () => {
    expect((await get('/identifiers', ORIGIN)).status).toBe(403);
    expect((await get(`/${active}`, { host: 'evil.example' })).status).toBe(421);
  });
});

it('a form with Expect: 100-continue is read', async () => {
  const { status, headers } = await post('/', `hdl=${active}`, { ...FORM, expect: '100-continue' });
  expect([status, headers.location]).toEqual([302, TARGET]);
});

it('an escaped segment of the API is one of the API, also when the naming authorities were read long ago', async () => {
  await pause(1100);
  expect((await get(`/%69dentifiers/${active.replace('/', '%2F')}`)).status).toBe(200);
});

it('the JSON of a record has the objects that it describes', async () => {
  const { body } = await service.client.mint({ metadataId: bare });
  const { status, text } = await get(`/${bare}`, { accept: 'application/json' });
  expect([status, JSON.parse(text).describes]).toEqual([200, [body.identifier]]);
  expect((await get(`/${bare}`)).text).toContain(body.identifier);
});

it.each(['PUT', 'DELETE', 'PATCH', 'TRACE'])('%s is 405 with Allow', async (method) => {
  const { status, headers } = await exchange(service.server.url, `/${active}`, { method });
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
});

it('every response has a policy and no type to guess', async () => {
  for (const path of [`/${active}`, `/${bare}`, '/20.500/missing', `/${withdrawn}`, `/${active}?urlappend=%0A`]) {
    const { headers } = await get(path);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';/);
  }
});

it('counts resolutions by outcome', async () => {
  const count = async (outcome: string) => {
    const { text } = await get('/metrics');
    return Number(new RegExp(`^mintmark_resolutions_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  for (const [outcome, path] of [
    ['redirected', `/${active}`],
    ['shown', `/${bare}`],
    ['unknown', '/20.500/missing'],
    ['withdrawn', `/${withdrawn}`],
    ['refused', '/20.500/%zz'],
  ] as const) {
    const before = await count(outcome);
    await get(path);
    expect([outcome, await count(outcome)]).toEqual([outcome, before + 1]);
  }
});
