import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { setPrincipal } from '../../../src/access/current-principal.js';
import { LargeBodies } from '../../../src/access/limits/large-bodies.js';
import { Principal } from '../../../src/access/principal.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { Problem } from '../../../src/problem/problem.js';

const MIB = 1_048_576;
const LARGEST = 3 * MIB;
/** A route for many records. */
const MANY = '/many';
const READ_MANY = '/read-many';

let server: FastifyInstance;
let parsed: number;
/** The handlers that wait, each with what ends it. */
let waiting: (() => void)[];
let arrived: () => void;

beforeEach(async () => {
  waiting = [];
  parsed = 0;
  arrived = () => {};
  server = fastify({ bodyLimit: LARGEST, forceCloseConnections: true });
  const bodies = new LargeBodies(new Metrics(), LARGEST);
  server.addHook('onRequest', (request, _reply, done) => {
    const key = request.headers['x-key'];
    if (typeof key === 'string') setPrincipal(request, new Principal('repository', key, ['mint'], null));
    bodies.admit(request);
    done();
  });
  bodies.watch(server);
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    parsed += 1;
    done(null, body.length);
  });
  server.setErrorHandler((error, _request, reply) => {
    void reply.code(503).send(error instanceof Problem ? error.code : String(error));
  });
  const many = { scopes: [], largeBody: true };
  const routes = { '/': { scopes: [] }, [MANY]: many, [READ_MANY]: { ...many, onlyReads: true } };
  for (const [path, config] of Object.entries(routes)) {
    server.post(path, { config: config as never }, async ({ body }) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        arrived();
      });
      return String(body);
    });
  }
  await server.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  for (const end of waiting) end();
  await server.close();
});

/** Sends a body. @returns the text of its response; "waits" when its handler has got it. */
async function post(bytes: number, framing: 'chunked' | 'announced', key?: string, path = '/'): Promise<string> {
  const { port } = server.server.address() as AddressInfo;
  const headers = {
    ...{ 'content-type': 'application/octet-stream', connection: 'close' },
    ...(framing === 'announced' ? { 'content-length': bytes } : { 'transfer-encoding': 'chunked' }),
    ...(key !== undefined && { 'x-key': key }),
  };
  const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
  const answered = new Promise<string>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => {
        resolve(text);
      });
    });
  });
  const handled = new Promise<string>((resolve) => {
    arrived = () => {
      resolve('waits');
    };
  });
  outgoing.end(Buffer.alloc(bytes, 'x'));
  return Promise.race([answered, handled]);
}

describe.each(['chunked', 'announced'] as const)('bodies that are %s', (framing) => {
  it('count until their responses end', async () => {
    expect(await post(LARGEST, framing)).toBe('waits');
    expect(await post(MIB, framing)).toBe('CONCURRENCY_LIMITED');
    waiting.pop()?.();
    while ((await post(LARGEST, framing)) === 'CONCURRENCY_LIMITED') continue;
    expect(waiting).toHaveLength(1);
  });

  it('have together at most the bytes of the largest body for a client, and those below 16 KiB do not count', async () => {
    expect(await post(2 * MIB, framing, 'key-7')).toBe('waits');
    expect(await post(MIB + 1, framing, 'key-7')).toBe('CONCURRENCY_LIMITED');
    expect(await post(MIB, framing, 'key-7')).toBe('waits');
    expect(await post(16_384, framing, 'key-7')).toBe('waits');
    expect(await post(16_385, framing, 'key-7')).toBe('CONCURRENCY_LIMITED');
    expect(await post(MIB + 1, framing, 'key-8')).toBe('waits');
  });

  it('take at most what they leave free', async () => {
    for (const key of ['a', 'b', 'c']) expect(await post(LARGEST, framing, key)).toBe('waits');
    expect(await post(2 * MIB, framing, 'd')).toBe('OVERLOADED');
    expect(await post(MIB, framing, 'd')).toBe('waits');
    expect(await post(LARGEST, framing)).toBe('waits');
  });

  it('of many records wait unparsed while eight of the client are processed, and stop neither another client nor one without a key', async () => {
    const sent = Array.from({ length: 10 }, () => post(5000, framing, 'a', MANY));
    while (waiting.length < 8) await nextTurn();
    await pause(50);
    expect([waiting.length, parsed]).toEqual([8, 8]);
    for (const key of ['b', undefined]) {
      expect(await post(5000, framing, key, MANY)).toBe('waits');
      waiting.pop()?.();
    }
    waiting.shift()?.();
    while (parsed < 11) await nextTurn();
    await pause(50);
    expect([waiting.length, parsed]).toEqual([8, 11]);
    for (const end of waiting.splice(0)) end();
    while (waiting.length < 1) await nextTurn();
    waiting.pop()?.();
    await Promise.all(sent);
  });

  it('of writes do not wait for those of reads', async () => {
    const reads = ['a', 'b', 'c'].flatMap((key) =>
      Array.from({ length: 8 }, () => post(5000, framing, key, READ_MANY)),
    );
    // Each client leaves a share of the places to the next one.
    while (waiting.length < 14) await nextTurn();
    await pause(50);
    expect(parsed).toBe(14);
    expect(await post(5000, framing, 'd', MANY)).toBe('waits');
    while (waiting.length > 0 || parsed < 25) {
      for (const end of waiting.splice(0)) end();
      await nextTurn();
    }
    await Promise.all(reads);
  });
});

describe('small bodies', () => {
  const send = async (content: unknown): Promise<string> => {
    const { port } = server.server.address() as AddressInfo;
    const headers = { 'content-type': 'application/json', 'x-key': 'a' };
    const body = JSON.stringify(content);
    return (await fetch(`http://127.0.0.1:${port}${MANY}`, { method: 'POST', headers, body })).text();
  };

  it.each([
    ['a large `count`', { count: 10_000 }],
    ['many `items`', { items: Array.from({ length: 101 }, () => 0) }],
  ])('with %s are processed eight at once', async (_, many) => {
    const sent = Array.from({ length: 10 }, () => send(many));
    while (waiting.length < 8) await nextTurn();
    await pause(50);
    expect(waiting).toHaveLength(8);
    for (const end of waiting.splice(0)) end();
    while (waiting.length < 2) await nextTurn();
    for (const end of waiting.splice(0)) end();
    await Promise.all(sent);
  });

  it('with few records are processed at once', async () => {
    const counts = [100, undefined, null, 'x', '10000', {}, [1, 2], true].map((count) => ({ count }));
    const sent = [...counts, null, { items: Array.from({ length: 100 }, () => 0) }].map((few) => send(few));
    while (waiting.length < 10) await nextTurn();
    for (const end of waiting.splice(0)) end();
    await Promise.all(sent);
  });
});
