import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { connectTo } from '../harness/raw-http.js';
import { TARGET, registerRecords } from '../harness/resolver-records.js';
import { useService } from '../harness/service.js';

const service = useService();

let [active, bare, withdrawn, reserved] = ['', '', '', ''];

beforeAll(async () => {
  ({ active, bare, withdrawn, reserved } = await registerRecords(service.client));
  const cabinet = { namingAuthority: '20.501', profile: 'handle', caseInsensitive: true };
  expect((await service.client.post('/naming-authorities', cabinet)).status).toBe(201);
  for (const localName of ['Chest-1', 'b/"two"']) {
    expect((await service.client.mint({ namingAuthority: '20.501', localName, target: TARGET })).status).toBe(201);
  }
});

const ask = (path: string, options: Parameters<typeof exchange>[2] = {}) =>
  exchange(service.server.url, `/hdlresolver/${path}`, options);
const bodyOf = async (path: string) => {
  const { status, text } = await ask(path);
  return { status, body: JSON.parse(text) };
};

describe('GET /hdlresolver/listprefixes', () => {
  it('has every prefix in upper case, as the plug-in compares them', async () => {
    expect(await bodyOf('listprefixes')).toEqual({
      status: 200,
      body: expect.arrayContaining(['100.102', '20', '20.500', '20.501', 'ARK']),
    });
  });
});

describe('GET /hdlresolver/resolve/{handle}', () => {
  it.each([
    ['as it is written', () => active],
    ['in lower case under the profile "cordra"', () => active.toLowerCase()],
    ['in upper case under a naming authority that ignores it', () => '20.501/CHEST-1'],
    ['whose prefix is in another case', () => 'ARK/x'],
    ['with an escaped slash', () => active.replace('/', '%2F')],
  ])('finds a handle %s', async (_, handle) => {
    const { status, headers, text } = await ask(`resolve/${handle()}`);
    expect([status, text.trim()]).toEqual([200, `["${TARGET}"]`]);
    expect(headers['content-type']).toBe('application/json;charset=utf-8');
  });

  it.each([
    ['that is not registered', () => `100.102/${'0'.repeat(32)}`],
    ['in another case where it counts', () => 'ARK/X'],
    ['without a target', () => bare],
    ['that was withdrawn', () => withdrawn],
    ['that is reserved', () => reserved],
    ['with a prefix of others', () => '99.999/X'],
    ['without a slash', () => '100.102'],
    ['that is too long', () => `Ark/${'x'.repeat(8193)}`],
  ])('is null for a handle %s', async (_, handle) => {
    expect(await bodyOf(`resolve/${handle()}`)).toEqual({ status: 200, body: null });
  });

  it('rejects a path that is not UTF-8', async () => {
    expect(await bodyOf('resolve/Ark/%FF')).toMatchObject({ status: 400, body: { responseCode: 4 } });
  });
});

describe('GET /hdlresolver/listhandles/{prefix}', () => {
  it('has the active handles, in upper case where the naming authority ignores it', async () => {
    expect(await bodyOf('listhandles/20.501')).toEqual({ status: 200, body: ['20.501/CHEST-1', '20.501/B/"TWO"'] });
    expect(await bodyOf('listhandles/ARK')).toEqual({ status: 200, body: ['Ark/x'] });
    const { body } = await bodyOf('listhandles/100.102');
    expect(body).toEqual(expect.arrayContaining([active, bare]));
    expect(body).not.toContain(withdrawn);
    expect(body).not.toContain(reserved);
  });

  it('is an empty list for a prefix without handles, and 400 for one of others', async () => {
    expect(await bodyOf('listhandles/20.500')).toEqual({ status: 200, body: [] });
    expect(await bodyOf('listhandles/99.999')).toMatchObject({ status: 400, body: { responseCode: 301 } });
  });

  it('has every handle of several pages once', async () => {
    const { client } = service;
    expect((await client.post('/naming-authorities', { namingAuthority: '20.502' })).status).toBe(201);
    for (let start = 0; start < 1200; start += 100) {
      const items = Array.from({ length: 100 }, () => ({ namingAuthority: '20.502' }));
      expect((await client.post('/identifiers/batch', { items })).status).toBe(200);
    }
    const { body } = await bodyOf('listhandles/20.502');
    expect([body.length, new Set(body).size]).toEqual([1200, 1200]);
  });

  it('sends HEAD no list', async () => {
    const { status, text } = await ask('listhandles/20.501', { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
  });
});

it('knows no other path', async () => {
  expect(await bodyOf('list')).toMatchObject({ status: 404, body: { responseCode: 4 } });
});

/** What the plug-in sends from Java 17, with the names that the Handle server has converted to upper case. */
const sentByPlugin = (path: string, host: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'User-Agent: Java/17.0.9',
    `Host: ${host}`,
    'Accept: text/html, image/gif, image/jpeg, */*; q=0.2',
    'Connection: keep-alive',
    '',
    '',
  ].join('\r\n');

describe('the plug-in of DSpace, configured as the guide says', () => {
  /** The path of the property `dspace.handle.endpoint1`. */
  const endpoint = (): string => {
    const guide = readFileSync(new URL('../../../docs/how-to/resolve-worldwide.md', import.meta.url), 'utf8');
    const [, url = ''] = /^dspace\.handle\.endpoint1 = (\S+)$/m.exec(guide) ?? [];
    return new URL(url).pathname;
  };

  it('reads the prefixes and resolves handles on one connection', async () => {
    const { host } = new URL(service.server.url);
    const connection = await connectTo(service.server.url);
    const next = async (path: string, length: number) => {
      const before = connection.received().length;
      connection.socket.write(sentByPlugin(endpoint() + path, host));
      const head = () => connection.received().slice(before).indexOf('\r\n\r\n');
      while (head() < 0 || connection.received().length < before + head() + 4 + length) {
        await once(connection.socket, 'data');
      }
      const [start = '', body = ''] = connection.received().slice(before).split('\r\n\r\n');
      expect(start).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(start).toMatch(/\r\ncontent-type: application\/json;charset=utf-8\r\n/i);
      expect(start).not.toMatch(/\r\nconnection: close/i);
      return JSON.parse(body);
    };
    try {
      expect(await next('/listprefixes', 2)).toContain('20.501');
      expect(await next('/resolve/20.501/CHEST-1', TARGET.length + 4)).toEqual([TARGET]);
      expect(await next(`/resolve/${active.toUpperCase()}`, TARGET.length + 4)).toEqual([TARGET]);
      expect(await next('/resolve/20.501/MISSING', 4)).toBeNull();
    } finally {
      connection.socket.destroy();
    }
  });
});
