import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { FORM } from '../harness/resolver-records.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const prefix = `${service.na}.4`;
const GUID = 'C58FB49EB1F848F0A606E84CEF294BE5';
const NAMES = ['x', 'x ', 'a', 'a?b', 'aA', 'a%41', 'z/z', 'z%2Fz', 'b', 'b#c', '100%'];

const targetOf = (name: string) => `https://t.example/${encodeURIComponent(name)}`;
const escaped = encodeURIComponent(prefix);

beforeAll(async () => {
  const created = await service.client.post('/naming-authorities', { namingAuthority: prefix, profile: 'handle' });
  expect(created.status).toBe(201);
  for (const localName of NAMES) {
    const sent = { namingAuthority: prefix, localName, target: targetOf(localName) };
    expect((await service.client.post('/identifiers', sent)).status).toBe(201);
  }
  const registered = await service.client.mint({ guid: GUID, target: targetOf(GUID) });
  expect(registered.status).toBe(201);
});

describe('a URL of this service', () => {
  it.each([
    [`/${prefix}/x%20`, 'x '],
    [`/identifiers/${prefix}%2Fx%20`, 'x '],
    [`/identifiers/${prefix}/x%20`, 'x '],
    [`/identifiers/hdl%3A${prefix}%2Fx%20`, 'x '],
    [`/${prefix}/aA%20`, 'aA'],
    [`/hdl:${prefix}/a%3Fb`, 'a?b'],
    [`/http://hdl.handle.net/${prefix}/a%3Fb`, 'a?b'],
    [`/http://hdl.handle.net:/${prefix}/a%3Fb`, 'a?b'],
    [`/http://hdl.handle.net/hdl:${prefix}/a%3Fb`, 'a?b'],
    [`/http://hdl.handle.net/api/handles/${prefix}/a%3Fb`, 'a?b'],
    [`/hdl:${prefix}/b%23c`, 'b#c'],
    [`/hdl:${prefix}/a%2541`, 'a%41'],
    [`/info:hdl/${prefix}/a%2541`, 'a%41'],
    [`/http://hdl.handle.net/${prefix}/a%2541`, 'a%41'],
    [`/hdl:${prefix}/z%252Fz`, 'z%2Fz'],
    [`/hdl:${prefix}/100%25`, '100%'],
    [`/hdl%3A${escaped}%2F100%2525`, '100%'],
    [`/http%3A%2F%2Fhdl.handle.net%2F${escaped}%2Fa%253Fb`, 'a?b'],
    [`/hdl%3A${service.na}%2F${GUID}`, GUID],
    [`/http%3A%2F%2Fhdl.handle.net%2F${service.na}%2F${GUID}`, GUID],
    [`/hdl:${service.na}/${GUID.toLowerCase()}%20`, GUID],
    [`/hdl:${service.na}/${GUID}%3Fx%23y`, GUID],
  ])('%s names %j, in a request, a look-up and the form', async (path, name) => {
    const { url } = service.server;
    const target = targetOf(name);
    const got = await exchange(url, path, { headers: { accept: 'application/json' } });
    expect(got.status === 302 ? got.headers.location : JSON.parse(got.text).target).toBe(target);
    const looked = await service.client.post('/identifiers/lookup', { items: [url + path] });
    const body = new URLSearchParams({ hdl: url + path }).toString();
    const form = await exchange(url, '/', { method: 'POST', headers: FORM, body });
    expect([looked.body.items[0].record?.target, form.headers.location]).toEqual([target, target]);
  });
});

it('decision 55: a text around a name under the profile "handle" is read as a whole, and then by its words', async () => {
  const texts = [`${prefix}/b. Registered 2026-11-28. http://hdl.handle.net/${prefix}/b`, `${prefix}/b (2026)`];
  const find = async (items: readonly string[]) => {
    const { body } = await service.client.post('/identifiers/lookup', { items });
    return body.items.map(({ identifier }: any) => identifier);
  };
  expect(await find([...texts, `${prefix}/b\u200b`])).toEqual([`${prefix}/b`, `${prefix}/b`, `${prefix}/b`]);
  const sent = { namingAuthority: prefix, localName: 'b (2026)' };
  expect((await service.client.post('/identifiers', sent)).status).toBe(201);
  expect(await find(texts)).toEqual([`${prefix}/b`, `${prefix}/b (2026)`]);
});
