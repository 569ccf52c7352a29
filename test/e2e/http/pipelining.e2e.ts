import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connectTo } from '../harness/raw-http.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

const service = useService({ LOG_LEVEL: 'warn' });

/** Maximum growth of the resident memory of the service by a packet of these requests, in MB. */
const MAX_GROWTH_MB = 100;
/** The same for forty lists of 1 MB, each of them as text and as bytes. */
const MAX_LISTS_MB = 200;
const MAX_LIVENESS_MS = 1000;

const open: Socket[] = [];

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

const rss = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.server.child.pid}/status`, 'utf8'))![1]) / 1024;

/** A connection that sends bytes at once. `ends` counts the starts of responses in what it reads. */
function send(bytes: string): { socket: Socket; responses: () => number } {
  const { hostname, port } = new URL(service.server.url);
  const socket = connect(Number(port), hostname);
  open.push(socket);
  socket.on('error', () => {});
  let count = 0;
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    const text = rest + chunk.toString('latin1');
    count += text.split('HTTP/1.1 200 OK\r\n').length - 1;
    rest = text.slice(-16);
  });
  socket.write(bytes);
  return { socket, responses: () => count };
}

/**
 * Measures memory and the latency of `/health/live` until it is stopped.
 * @returns the maximum of both.
 */
async function watch(done: () => boolean): Promise<{ growthMb: number; livenessMs: number }> {
  const idle = rss();
  let [growthMb, livenessMs] = [0, 0];
  do {
    const sentAt = performance.now();
    expect((await service.client.get('/health/live')).status).toBe(200);
    livenessMs = Math.max(livenessMs, performance.now() - sentAt);
    growthMb = Math.max(growthMb, rss() - idle);
    // Ends the test for a service that grows without limit.
    if (growthMb > MAX_GROWTH_MB * 3) break;
    await pause(20);
  } while (!done());
  return { growthMb, livenessMs };
}

/** Reads after all: the requests were accepted. */
async function expectResponses(clients: readonly ReturnType<typeof send>[]): Promise<void> {
  for (const { socket, responses } of clients) {
    socket.resume();
    await once(socket, 'data');
    expect(responses()).toBeGreaterThan(0);
    socket.destroy();
  }
}

const after = (ms: number) => {
  const end = performance.now() + ms;
  return () => performance.now() > end;
};

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

/** Requests for large documents, in one or two packets. */
const PACKETS: [string, number][] = [
  ['/docs/swagger-ui-bundle.js', 1400],
  ['/openapi.json', 1700],
];

describe.each(PACKETS)('a connection that requests %s %d times at once', (path, count) => {
  it('and reads nothing costs no memory and delays no other request', async () => {
    await service.client.get('/openapi.json');
    await undisturbed(async () => {
      const client = send(get(path).repeat(count));
      client.socket.pause();
      const { growthMb, livenessMs } = await watch(after(3000));
      process.stderr.write(`${path}: ${growthMb.toFixed(0)} MB, /health/live in ${livenessMs.toFixed(0)} ms\n`);
      expect(growthMb).toBeLessThan(MAX_GROWTH_MB);
      expect(livenessMs).toBeLessThan(limitMs(MAX_LIVENESS_MS));
      await expectResponses([client]);
    });
  });

  it('and reads gets the first 32 responses, and delays no other request', async () => {
    await undisturbed(async () => {
      const { socket, responses } = send(get(path).repeat(count));
      const { growthMb, livenessMs } = await watch(() => socket.destroyed);
      expect(responses()).toBe(32);
      expect(growthMb).toBeLessThan(MAX_GROWTH_MB);
      expect(livenessMs).toBeLessThan(limitMs(MAX_LIVENESS_MS));
    });
  });
});

describe('a connection that sends 1,400 different requests at once', () => {
  it('gets the first 32 responses in order, and the last one closes it, so that it sends the others again', async () => {
    const PATHS = ['/health/live', '/identifiers?limit=1', '/nowhere', '/problems', '/naming-authorities'];
    const numbered = (i: number) =>
      `GET ${PATHS[i % PATHS.length]} HTTP/1.1\r\nhost: localhost\r\nx-request-id: number-${i}\r\n\r\n`;
    const connection = await connectTo(service.server.url);
    open.push(connection.socket);
    connection.socket.write(Array.from({ length: 1400 }, (_, i) => numbered(i)).join(''));
    await connection.closed(30_000);
    const received = connection.received();
    const answered = [...received.matchAll(/^x-request-id: number-([0-9]+)\r$/gm)].map(([, i]) => Number(i));
    expect(answered).toEqual(Array.from({ length: 32 }, (_, i) => i));
    expect(received.match(/^connection: close\r$/gim)).toHaveLength(1);
    expect(connection.error()).toBeNull();
  });
});

describe('fifty connections that send the same request and read nothing', () => {
  it('cost no more than the buffers of their sockets, and delay no other request', async () => {
    const clients = Array.from({ length: 50 }, () => send(get('/docs/swagger-ui-bundle.js').repeat(1400)));
    for (const { socket } of clients) socket.pause();
    const { growthMb, livenessMs } = await watch(after(3000));
    expect(growthMb).toBeLessThan(MAX_GROWTH_MB);
    expect(livenessMs).toBeLessThan(limitMs(MAX_LIVENESS_MS));
    await expectResponses(clients);
  });
});

describe('forty connections that ask for 31 long lists each', () => {
  it('and read nothing cost no more than one list each', async () => {
    const lines = `${JSON.stringify({ target: `https://example.org/${'x'.repeat(400)}` })}\n`.repeat(1000);
    await sendLines(`${service.server.url}/identifiers/bulk?namingAuthority=100.102`, lines);
    await service.client.get('/identifiers?limit=1000');
    const clients = Array.from({ length: 40 }, () => send(get('/identifiers?limit=1000').repeat(31)));
    for (const { socket } of clients) socket.pause();
    const { growthMb } = await watch(after(6000));
    process.stderr.write(`lists: ${growthMb.toFixed(0)} MB\n`);
    expect(growthMb).toBeLessThan(MAX_LISTS_MB);
    await expectResponses(clients);
  });

  it('and read get all of them', async () => {
    const { responses, socket } = send(get('/identifiers?limit=1000').repeat(31));
    await watch(() => responses() >= 31 || socket.destroyed);
    expect(responses()).toBe(31);
  });
});

describe('a request with "Connection: close" and 39 more behind it', () => {
  const ITEMS = 2000;
  const body = JSON.stringify({ items: Array.from({ length: ITEMS }, () => ({ input: 'hdl:100.102/ABC' })) });
  const head = ['POST /normalize HTTP/1.1', 'host: localhost', 'content-type: application/json', 'connection: close'];
  const request = `${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  it.each([0, 20, 300, 3500])('has its whole response, read %d ms later', async (readAfterMs) => {
    const connections = await Promise.all(Array.from({ length: 5 }, () => connectTo(service.server.url)));
    open.push(...connections.map(({ socket }) => socket));
    for (const { socket } of connections) {
      socket.pause();
      socket.write(request.repeat(40));
    }
    await pause(readAfterMs);
    for (const { socket } of connections) socket.resume();
    for (const connection of connections) {
      await connection.closed(20_000);
      expect(connection.received().split('HTTP/1.1 ')).toHaveLength(2);
      // The last chunk (RFC 9112 7.1).
      expect(connection.received().slice(-7)).toBe('\r\n0\r\n\r\n');
      expect(connection.error()).toBeNull();
    }
  });
});

describe('a client that hangs up with several requests under way', () => {
  it('leaves none of them counted: the service stops at once', async () => {
    const server = await startServer({
      DATABASE_URL: service.database.url,
      ACCESS: 'open',
      NAMING_AUTHORITIES: '100.102',
      SHUTDOWN_TIMEOUT_MS: '60000',
    });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(get('/identifiers?limit=1').repeat(30));
    await pause(5);
    socket.destroy();
    await pause(500);
    const sentAt = performance.now();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - sentAt).toBeLessThan(30_000);
  }, 90_000);
});
