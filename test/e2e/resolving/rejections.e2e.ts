import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { FORM, TARGET, registerRecords } from '../harness/resolver-records.js';
import { useService } from '../harness/service.js';

const service = useService();

let [active, bare, withdrawn, reserved] = ['', '', '', ''];

beforeAll(async () => {
  ({ active, bare, withdrawn, reserved } = await registerRecords(service.client));
});

const get = (target: string, headers: Record<string, string> = {}) => exchange(service.server.url, target, { headers });
const post = (target: string, body: string, headers: Record<string, string> = FORM) =>
  exchange(service.server.url, target, { method: 'POST', headers, body });

describe('what leads nowhere', () => {
  it('without a target is the page of the record', async () => {
    const { status, headers, text } = await get(`/${bare}`);
    expect([status, headers['content-type'], headers.vary]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
    expect(headers['cache-control']).toBe('no-cache');
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
      for (const accept of ['application/json', 'application/problem+json', 'application/problem+json, text/xml']) {
        const problem = await get(`/${name}`, { accept });
        expect(problem.headers['content-type']).toMatch(/^application\/problem\+json/);
        expect([problem.status, JSON.parse(problem.text).code]).toEqual([404, 'IDENTIFIER_NOT_FOUND']);
      }
      for (const accept of ['text/html, application/problem+json', 'application/problem+json, */*', 'text/xml']) {
        const page = await get(`/${name}`, { accept });
        expect([accept, page.headers['content-type']]).toEqual([accept, 'text/html; charset=utf-8']);
      }
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
    expect([status, code, tombstone.replacedBy]).toEqual([410, 'IDENTIFIER_WITHDRAWN', `hdl:${active}`]);
  });

  it('longer than any identifier is 414', async () => {
    for (const name of ['x'.repeat(8193), '%C3%A9'.repeat(4097), 'x'.repeat(60_000)]) {
      const { status, text } = await get(`/20.500/${name}`);
      expect([status, text.includes('…')]).toEqual([414, true]);
      expect(text).not.toContain(decodeURIComponent(name).slice(0, 600));
      expect(text).toContain(decodeURIComponent(name).slice(0, 400));
    }
    const problem = await get(`/20.500/${'x'.repeat(8193)}`, { accept: 'application/json' });
    expect(JSON.parse(problem.text).code).toBe('NAME_TOO_LONG');
    expect((await get(`/20.500/${'x'.repeat(8192)}`)).status).toBe(404);
  });

  it('with a broken escape is 400', async () => {
    for (const name of ['%zz', '%FF', '%', '%C3'])
      expect([name, (await get(`/20.500/${name}`)).status]).toEqual([name, 400]);
  });

  it.each(['/99.999/x', '/nowhere/x', '/nowhere', '/hdl/20.500/x', '/{handle}', '/%7Bhandle%7D'])(
    '%s is the problem of a path that does not exist',
    async (path) => {
      const { status, headers, text } = await get(path);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect([status, JSON.parse(text)]).toEqual([
        404,
        expect.objectContaining({ code: 'NOT_FOUND', detail: `Cannot GET ${path}` }),
      ]);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it('has a short detail for a long path and a long query', async () => {
    expect(JSON.parse((await get(`/nowhere?${'a&'.repeat(20_000)}`)).text).detail).toBe('Cannot GET /nowhere');
    const { detail } = JSON.parse((await get(`/nowhere/${'a'.repeat(20_000)}`)).text);
    expect(detail).toMatch(/^Cannot GET \/nowhere\/a+…$/);
    expect(detail.length).toBeLessThan(1100);
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

  it('rejects what is no Handle with a page', async () => {
    for (const [body, status] of [
      ['', 400],
      ['hdl=', 400],
      ['hdl=nonsense', 400],
      ['hdl=demo:1', 404],
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

  it('is still rejected by the REST API, and under another host name', async () => {
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
    ['rejected', '/20.500/%zz'],
  ] as const) {
    const before = await count(outcome);
    await get(path);
    expect([outcome, await count(outcome)]).toEqual([outcome, before + 1]);
  }
});
