import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { REST_API } from '../../../src/api/rest-interface.js';
import { HttpInterfaces } from '../../../src/http/http-interface.js';
import { pressureOf, shedLoad } from '../../../src/http/server/load-shedding.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { sendProblem } from '../../../src/problem/send-problem.js';

const INTERFACES = new HttpInterfaces([REST_API]);
const load = { eventLoopDelay: 0, waiting: 0 };
const metrics = new Metrics();
let server: FastifyInstance;
let origin: string;

beforeAll(async () => {
  server = fastify();
  server.setErrorHandler(sendProblem);
  const measured = { eventLoopDelayMs: () => load.eventLoopDelay, waitingStatements: () => load.waiting };
  shedLoad(server, INTERFACES, pressureOf({ eventLoopDelayMs: 100, waitingStatements: 10 }, measured), () => {
    metrics.rejected('overload');
  });
  for (const url of ['/things', '/health/live', '/metrics', '/api-keys/7', '/healthy']) {
    server.all(url, (_request, reply) => reply.send('served'));
  }
  server.post('/things/lookup', { config: { onlyReads: true } }, (_request, reply) => reply.send('served'));
  origin = await server.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(() => server.close());

const status = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, now: Partial<typeof load>) => {
  Object.assign(load, { eventLoopDelay: 0, waiting: 0 }, now);
  return (await fetch(origin + url, { method })).status;
};

describe.each([
  ['the delay of the event loop', 'eventLoopDelay', 100],
  ['what waits for the database', 'waiting', 10],
])('%s', (_, name, threshold) => {
  it.each(['POST', 'PATCH', 'DELETE'] as const)(
    'rejects %s from the threshold on, and serves it again below',
    async (m) => {
      expect(await status(m, '/things', { [name]: threshold - 1 })).toBe(200);
      expect(await status(m, '/things', { [name]: threshold })).toBe(503);
      expect(await status(m, '/things', { [name]: threshold - 1 })).toBe(200);
    },
  );

  it('rejects reads, also those by POST, from twice as much on', async () => {
    for (const [method, url] of [
      ['GET', '/things'],
      ['POST', '/things/lookup'],
    ] as const) {
      expect(await status(method, url, { [name]: 2 * threshold - 1 })).toBe(200);
      expect(await status(method, url, { [name]: 2 * threshold })).toBe(503);
    }
  });

  it.each([
    ['GET', '/health/live', 200],
    ['GET', '/metrics', 200],
    ['DELETE', '/api-keys/7', 200],
    ['GET', '/healthy', 503],
  ] as const)('however large it is, %s %s returns %i', async (method, url, expected) => {
    expect(await status(method, url, { [name]: 1000 * threshold })).toBe(expected);
  });
});

describe('a rejection', () => {
  it('is the problem OVERLOADED with Retry-After, and is counted', async () => {
    load.waiting = 10;
    const answer = await fetch(`${origin}/things`, { method: 'POST', body: '{"a":1}' });
    expect(await answer.json()).toMatchObject({ status: 503, code: 'OVERLOADED' });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const count = async () =>
      Number(/^mintmark_rejected_requests_total\{reason="overload"\} (\d+)$/m.exec(await metrics.scrape())?.[1]);
    const before = await count();
    await fetch(`${origin}/things`, { method: 'POST' });
    expect(await count()).toBe(before + 1);
  });

  it('never happens under thresholds of 0', async () => {
    const other = fastify();
    const drowning = { eventLoopDelayMs: () => 1e9, waitingStatements: () => 1e9 };
    shedLoad(other, INTERFACES, pressureOf({ eventLoopDelayMs: 0, waitingStatements: 0 }, drowning), () => {
      metrics.rejected('overload');
    });
    other.post('/things', (_request, reply) => reply.send('served'));
    const at = await other.listen({ host: '127.0.0.1', port: 0 });
    const answer = await fetch(`${at}/things`, { method: 'POST' });
    await other.close();
    expect(answer.status).toBe(200);
  });
});
