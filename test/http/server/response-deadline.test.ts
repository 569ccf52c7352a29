import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { REST_API } from '../../../src/api/rest-interface.js';
import { HttpInterfaces } from '../../../src/http/http-interface.js';
import { limitResponseTime } from '../../../src/http/server/response-deadline.js';

const LIMIT_MS = 1000;

let server: FastifyInstance;

/** Lines of the framework. */
let logged: string[];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets time pass in steps of 10 ms, each after the effects of the one before. */
async function pass(ms: number): Promise<void> {
  const effects = async () => {
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  await effects();
  for (let passed = 0; passed < ms; passed += 10) {
    jest.advanceTimersByTime(10);
    await effects();
  }
}

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  logged = [];
  const stream = { write: (line: string) => logged.push(line) };
  server = fastify({ logger: { level: 'warn', stream } });
  // As of a request that waited for half of the limit for its key.
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url === '/authenticated') reply.waitedMs = LIMIT_MS / 2;
    done();
  });
  limitResponseTime(server, new HttpInterfaces([REST_API]), LIMIT_MS);
  server.all('/quick', (_request, reply) => reply.send('result'));
  const slow = async () => {
    await pause(2200);
    return 'result';
  };
  server.all('/failing', async () => {
    await pause(2200);
    throw new Error('too late');
  });
  for (const url of ['/slow', '/authenticated']) server.all(url, slow);
  server.all('/stream', (_request, reply) =>
    reply.send(
      Readable.from(
        (async function* () {
          await pause(1600);
          yield 'result';
        })(),
      ),
    ),
  );
  server.all('/in-parts', { config: { inParts: true } }, slow);
  await server.ready();
});

afterEach(async () => {
  await pass(2200);
  jest.useRealTimers();
  await server.close();
});

/** The status, the code and the time of a response. */
async function send(method: 'GET' | 'POST', url: string) {
  const since = performance.now();
  const { statusCode: status, payload } = await server.inject({ method, url });
  const code = status === 200 ? payload : (JSON.parse(payload) as { code: string }).code;
  return [status, code, Math.round(performance.now() - since)];
}

/** The response to a request; null where there is none after 2300 ms. */
async function answer(method: 'GET' | 'POST', path: string) {
  let response: unknown = null;
  void send(method, path).then((sent) => (response = sent));
  await pass(2300);
  return response;
}

describe('the limit of a response', () => {
  it('rejects a request that has no response in time: a read is safe to repeat, a write may have taken effect', async () => {
    expect(await answer('GET', '/slow')).toEqual([503, 'DATABASE_UNAVAILABLE', 1000]);
    await pass(200);
    expect(await answer('POST', '/slow')).toEqual([503, 'OUTCOME_UNKNOWN', 1000]);
  });

  it.each(['/slow', '/failing'])('is silent about what the handler does later: %s', async (url) => {
    expect(await answer('POST', url)).toEqual([503, 'OUTCOME_UNKNOWN', 1000]);
    expect(logged.filter((line) => /already|Promise errored/i.test(line))).toEqual([]);
  });

  it('counts the wait for an API key', async () => {
    expect(await answer('GET', '/authenticated')).toEqual([503, 'DATABASE_UNAVAILABLE', 500]);
  });

  it('ends when a stream begins, also before its first piece', async () => {
    expect(await answer('GET', '/stream')).toEqual([200, 'result', 1600]);
  });

  it('counts from the arrival, also behind requests that arrived later', async () => {
    const earlier = send('GET', '/slow');
    await pass(100);
    expect(await answer('GET', '/authenticated')).toEqual([503, 'DATABASE_UNAVAILABLE', 500]);
    expect(await earlier).toEqual([503, 'DATABASE_UNAVAILABLE', 1000]);
  });

  it('rejects each that is late, also after others have ended', async () => {
    const first = send('GET', '/authenticated');
    const late = [send('GET', '/slow'), send('POST', '/slow')];
    await pass(800);
    late.push(send('GET', '/slow'));
    await pass(2300);
    expect(await first).toEqual([503, 'DATABASE_UNAVAILABLE', 500]);
    expect(await Promise.all(late)).toEqual([
      [503, 'DATABASE_UNAVAILABLE', 1000],
      [503, 'OUTCOME_UNKNOWN', 1000],
      [503, 'DATABASE_UNAVAILABLE', 1000],
    ]);
  });

  it('rejects only those that are late', async () => {
    const late = send('GET', '/slow');
    const between: unknown[] = [];
    for (let count = 0; count < 12; count++) {
      await pass(100);
      between.push(...(await Promise.all([1, 2, 3].map(() => send('GET', '/quick')))));
    }
    expect(between).toEqual(Array.from({ length: 36 }, () => [200, 'result', 0]));
    await pass(1200);
    expect(await late).toEqual([503, 'DATABASE_UNAVAILABLE', 1000]);
    expect(await send('GET', '/quick')).toEqual([200, 'result', 0]);
  });

  it('does not apply to requests in parts', async () => {
    expect(await answer('POST', '/in-parts')).toEqual([200, 'result', 2200]);
  });
});
