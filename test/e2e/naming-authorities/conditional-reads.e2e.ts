import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { useService } from '../harness/service.js';

const service = useService();
const { create, patch, created } = authoritiesOf(service);

/** `fetch` would not return the headers of a 304 as they are sent. */
const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(service.server.url, { method, path, headers }, (answer) => {
      resolve(answer.resume());
    });
    sent.on('error', reject).end();
  });

const tagOf = async (path: string) => (await ask('GET', path)).headers.etag!;

describe.each(['GET', 'HEAD'])('%s /naming-authorities/{na}', (method) => {
  it('RFC 9110 13.1.2: returns 304 to a client that has the representation', async () => {
    const path = `/naming-authorities/${await created()}`;
    const tag = await tagOf(path);
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const { statusCode, headers } = await ask(method, path, { 'if-none-match': value });
      expect([statusCode, headers.etag, headers['cache-control']]).toEqual([304, tag, 'no-cache']);
      const ofBody = ['content-type', 'content-length', 'transfer-encoding'].filter((name) => name in headers);
      expect(ofBody).toEqual([]);
    }
    for (const value of ['"other"', '"1"'])
      expect((await ask(method, path, { 'if-none-match': value })).statusCode).toBe(200);
  });

  it('RFC 9110 13.1.1: returns 412 to a client that requires another version', async () => {
    const path = `/naming-authorities/${await created()}`;
    const tag = await tagOf(path);
    for (const value of [tag, `"other", ${tag}`, '"1"', '*'])
      expect((await ask(method, path, { 'if-match': value })).statusCode).toBe(200);
    for (const value of ['"other"', `W/${tag}`, 'W/"1"', '"2"'])
      expect((await ask(method, path, { 'if-match': value, 'if-none-match': tag })).statusCode).toBe(412);
    expect((await ask(method, path, { 'if-match': tag, 'if-none-match': tag })).statusCode).toBe(304);
    expect((await ask(method, path, { 'if-match': 'other' })).statusCode).toBe(400);
  });
});

it('the entity tag of a naming authority changes with its settings, its counts and its children', async () => {
  const prefix = await created();
  const path = `/naming-authorities/${prefix}`;
  const tags = [await tagOf(path)];
  await patch(prefix, { uuidVersion: 7 });
  tags.push(await tagOf(path));
  const { identifier } = (await service.client.mint({ namingAuthority: prefix })).body;
  tags.push(await tagOf(path));
  await service.client.post(`/identifiers/${identifier}/withdraw`, { reason: 'x' });
  tags.push(await tagOf(path));
  await create({ namingAuthority: `${prefix}.1` });
  tags.push(await tagOf(path));
  expect(new Set(tags).size).toBe(5);
  // Minting under another naming authority changes nothing.
  await service.client.mint({ namingAuthority: await created() });
  expect(await tagOf(path)).toBe(tags.at(-1));
});
