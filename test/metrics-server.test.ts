import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { createMetricsServer } from '../src/metrics-server.js';
import { Metrics } from '../src/metrics/metrics.js';

const STALL_MS = 300;

/** More than the buffers of the system, and less than what one client may leave unread. */
const LARGE_BYTES = 20_000_000;

const sockets: Socket[] = [];
let server: FastifyInstance;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

const largeMetrics = (): Metrics => {
  const metrics = new Metrics();
  metrics.failed('x'.repeat(LARGE_BYTES));
  return metrics;
};

async function send(): Promise<Socket> {
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  socket.write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(socket, 'connect');
  return socket;
}

describe('the server of METRICS_PORT', () => {
  it('serves few concurrent scrapes of one client, and rejects the others before it reads a figure', async () => {
    const metrics = new Metrics();
    let reads = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    metrics.database.watchEventFeed(async () => {
      reads++;
      await held;
      return 0;
    });
    server = await createMetricsServer(metrics, STALL_MS);
    const scrapes = Array.from({ length: 100 }, () => server.inject('/metrics'));
    const rejected = await Promise.race(scrapes);
    expect([rejected.statusCode, rejected.json().code]).toEqual([429, 'CONCURRENCY_LIMITED']);
    expect(rejected.headers['retry-after']).toBe('2');
    release();
    const statuses = (await Promise.all(scrapes)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(96);
    expect(reads).toBe(1);
  });

  it('closes a connection that does not read the response', async () => {
    server = await createMetricsServer(largeMetrics(), STALL_MS);
    await server.listen({ port: 0, host: '127.0.0.1' });
    const [connected] = (await Promise.all([once(server.server, 'connection'), send()])) as [[Socket], Socket];
    sockets[0]?.pause();
    await once(connected[0], 'close');
    expect(connected[0].bytesWritten).toBeGreaterThan(0);
  });

  it('limits the bytes that one client does not read', async () => {
    server = await createMetricsServer(largeMetrics(), 60_000);
    await server.listen({ port: 0, host: '127.0.0.1' });
    const unread = await send();
    await once(unread, 'readable');
    const second = await send();
    const [head] = (await once(second, 'data')) as [Buffer];
    expect(head.toString('latin1')).toMatch(/^HTTP\/1\.1 429 [^]*"code":"CONCURRENCY_LIMITED"/);
  });

  it('does not accept more than 256 connections', async () => {
    server = await createMetricsServer(new Metrics(), STALL_MS);
    expect(server.server.maxConnections).toBe(256);
  });
});
