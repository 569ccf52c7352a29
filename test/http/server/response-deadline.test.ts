import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { REST_API } from '../../../src/api/face.js';
import { Faces } from '../../../src/http/face.js';
import { limitResponseTime, noteArrival, noteWait } from '../../../src/http/server/response-deadline.js';

const LIMIT_MS = 1000;
/** The interval of the checks and the time of a request. */
const SLACK_MS = 600;

let server: FastifyInstance;
let origin: string;

beforeEach(async () => {
  server = fastify();
  // As of a request that waited for half of the limit before the framework got it.
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.url === '/handed-over') noteArrival(request.raw, performance.now() - LIMIT_MS / 2);
    if (request.url === '/authenticated') noteWait(request.raw, LIMIT_MS / 2);
    done();
  });
  limitResponseTime(server, new Faces([REST_API]), LIMIT_MS);
  server.all('/quick', (_request, reply) => reply.send('result'));
  const slow = async () => {
    await pause(LIMIT_MS + 2 * SLACK_MS);
    return 'result';
  };
  for (const url of ['/slow', '/handed-over', '/authenticated']) server.all(url, slow);
  server.all('/stream', (_request, reply) =>
    reply.send(
      Readable.from(
        (async function* () {
          await pause(LIMIT_MS + SLACK_MS);
          yield 'result';
        })(),
      ),
    ),
  );
  server.all('/in-parts', { config: { inParts: true } }, slow);
  origin = await server.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(() => server.close());

async function send(method: 'GET' | 'POST', path: string) {
  const since = performance.now();
  const response = await fetch(origin + path, { method });
  const text = await response.text();
  const code = response.status === 200 ? text : (JSON.parse(text) as { code: string }).code;
  return { status: response.status, code, ms: performance.now() - since };
}

describe('the limit of a response', () => {
  it('refuses a request that has no response in time: a read is safe to repeat, a write may have taken effect', async () => {
    const [read, write] = await Promise.all([send('GET', '/slow'), send('POST', '/slow')]);
    expect(read).toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' });
    expect(write).toMatchObject({ status: 503, code: 'OUTCOME_UNKNOWN' });
    for (const { ms } of [read, write]) {
      expect(ms).toBeGreaterThanOrEqual(LIMIT_MS);
      expect(ms).toBeLessThan(LIMIT_MS + SLACK_MS);
    }
  });

  it('counts the wait for an API key', async () => {
    const { status, ms } = await send('GET', '/authenticated');
    expect(status).toBe(503);
    expect(ms).toBeLessThan(LIMIT_MS / 2 + SLACK_MS - 200);
  });

  it('ends when a stream begins, also before its first piece', async () => {
    expect(await send('GET', '/stream')).toMatchObject({ status: 200, code: 'result' });
  });

  it('counts from the arrival, also behind requests that arrived later', async () => {
    const earlier = send('GET', '/slow');
    await pause(100);
    const { status, ms } = await send('GET', '/handed-over');
    expect(status).toBe(503);
    expect(ms).toBeGreaterThanOrEqual(LIMIT_MS / 2);
    expect(ms).toBeLessThan(LIMIT_MS / 2 + SLACK_MS - 200);
    expect((await earlier).status).toBe(503);
  });

  it('refuses only those that are late', async () => {
    const late = send('GET', '/slow');
    const quick: { status: number }[] = [];
    for (let count = 0; count < 50; count += 1)
      quick.push(...(await Promise.all([1, 2, 3].map(() => send('GET', '/quick')))));
    expect(new Set(quick.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await late).status).toBe(503);
    expect(await send('GET', '/quick')).toMatchObject({ status: 200, code: 'result' });
  });

  it('does not apply to requests in parts', async () => {
    expect(await send('POST', '/in-parts')).toMatchObject({ status: 200, code: 'result' });
  });
});
