import { once } from 'node:events';
import { type IncomingMessage, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { DirectPath, type DirectPathParts } from '../src/direct-path.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { GUID, authorityWith, recordWith } from './records.js';

const RECORD = recordWith({ target: 'https://a.example/' });
const READING = { authority: authorityWith(), handle: `100.102/${GUID}`, uri: null };

/** Sends a request to a service in which any name has a record. @returns who answered, and what was counted. */
async function answered(more: object = {}, headers: Record<string, string> | readonly string[] = {}) {
  const counts = { rate: 0, resolved: 0, answered: 0 };
  const ended: boolean[] = [];
  const direct = new DirectPath();
  direct.use({
    drain: { stopping: new AbortController().signal },
    limits: { takeRate: () => (counts.rate++, ['x-limit', '1']) },
    metrics: { responded: () => counts.answered++, resolved: () => counts.resolved++, handleApi: () => {} },
    logger: { isLevelEnabled: () => false, info: () => {} },
    requestLog: { line: () => ({}) },
    reader: { isAnonymous: true },
    hosts: null,
    pressure: () => 0,
    trustedProxies: [],
    records: { held: () => RECORD },
    redirects: {
      entrance: { plainName: () => READING },
      redirects: { expires: () => 'then', cacheControl: 'max-age=1' },
      settings: { resolver: DEFAULT_RESOLVER },
    },
    authorities: null,
    ...more,
  } as unknown as DirectPathParts);
  const server = createServer((request, response) => {
    if (!direct.take(request, response)) response.end('framework');
    ended.push(response.writableEnded);
    setImmediate(() => ended.push(response.writableEnded));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  // The location of the test of large responses is longer than a client reads by default.
  const maxHeaderSize = 65_536;
  const sent = get({ port, host: '127.0.0.1', path: '/1/a', headers, agent: false, maxHeaderSize });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  server.close();
  return { isByFramework: text === 'framework', headers: response.headers, counts, ended };
}

const held = (record: object | null | undefined) => ({ records: { held: () => record } });

describe('a plain request for a record in memory', () => {
  it('is answered at once if it is alone in its turn of the event loop', async () => {
    expect((await answered()).ended).toEqual([true, true]);
  });

  it('is answered before the framework, and counted once', async () => {
    const { isByFramework, headers, counts } = await answered({}, { 'x-request-id': 'the-id' });
    expect(isByFramework).toBe(false);
    expect([headers.location, headers['x-request-id'], headers['x-limit']]).toEqual([
      'https://a.example/',
      'the-id',
      '1',
    ]);
    expect(counts).toEqual({ rate: 1, resolved: 1, answered: 1 });
  });

  const stopped = new AbortController();
  stopped.abort();
  it.each<[string, object, Record<string, string> | readonly string[]]>([
    ['the service stops', { drain: { stopping: stopped.signal } }, {}],
    ['the service is overloaded', { pressure: () => 1 }, {}],
    ['its host is not allowed', { hosts: { includes: () => false } }, {}],
    ['its record is not in memory', held(undefined), {}],
    ['its name is unknown', held(null), {}],
    ['its record is withdrawn', held({ ...RECORD, state: 'withdrawn' }), {}],
    ['its record has no target', held({ ...RECORD, target: null }), {}],
    ['its response is large', held({ ...RECORD, target: `https://a.example/${'a'.repeat(20_000)}` }), {}],
    ['its record has stored values', held({ ...RECORD, handleValues: [] }), {}],
    ['its record cannot be read', { records: { held: () => JSON.parse('{') as never } }, {}],
    ['it has a key', {}, { authorization: 'Bearer x' }],
    ['it is part of a trace', {}, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }],
    ['it has a body', {}, { 'content-length': '0' }],
    ['it expects 100 Continue', {}, { expect: '100-continue' }],
    ['it asks for links', {}, { accept: 'application/linkset+json' }],
    ['it has two Host fields', {}, ['Host', 'a.example', 'host', 'b.example']],
  ])('is left to the framework, without being counted, when %s', async (_, more, headers) => {
    const { isByFramework, counts } = await answered(more, headers);
    expect([isByFramework, counts]).toEqual([true, { rate: 0, resolved: 0, answered: 0 }]);
  });

  it('is left to the framework when its client is over the limit', async () => {
    const { isByFramework, counts } = await answered({ limits: { takeRate: () => null } });
    expect([isByFramework, counts]).toEqual([true, { rate: 0, resolved: 0, answered: 0 }]);
  });
});
