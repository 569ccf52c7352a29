import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, ADMIN_KEY } from '../access/authorisation/credentials.js';
import type { Client } from '../harness/client.js';
import { createKey, useLimitedServices } from '../harness/limited-services.js';
import { type RawConnection, connectTo } from '../harness/raw-http.js';
import { useService } from '../harness/service.js';

/** The default of BODY_LIMIT_BYTES, and with it the share of one client. */
const LARGEST = 16_777_216;
/** Maximum growth of the resident memory by bodies in tiny pieces, in MB. */
const MAX_GROWTH_MB = 100;

const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, TRUSTED_PROXIES: '127.0.0.1' });
const { start } = useLimitedServices();

const open: RawConnection[] = [];

afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy();
  await pause(200);
});

type Headers = Record<string, string>;

const from = (address: string): Headers => ({ 'x-forwarded-for': address });

/** Sends the head of a request with a JSON body. */
async function begin(base: string, line: string, headers: Headers): Promise<RawConnection> {
  const connection = await connectTo(base);
  open.push(connection);
  const all = { host: 'localhost', 'content-type': 'application/json', ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n`);
  return connection;
}

/** Sends four bodies of the largest size without their last bytes. */
async function occupy(base: string, line: string, headers: (i: number) => Headers, bytes: number): Promise<void> {
  for (let i = 0; i < 4; i++) {
    const connection = await begin(base, line, { ...headers(i), 'content-length': String(LARGEST) });
    connection.socket.write(Buffer.alloc(bytes, 0x20));
  }
  await pause(bytes === 1 ? 300 : 1500);
}

/** A valid body of about 200 KB. */
const BODY = JSON.stringify({ items: [{ input: 'hdl:1/2' }] }).padEnd(200_000);
const BATCH = JSON.stringify({ items: [{ namingAuthority: '100.102' }] }).padEnd(200_000);

const normalize = (headers: Headers) =>
  service.client.send('POST', '/normalize', { 'content-type': 'application/json', ...headers }, BODY);

describe('four bodies of the largest size that are never finished', () => {
  it.each([
    ['only begin', 1],
    ['almost arrived', LARGEST - 1],
  ])('of one address and %s do not stop another address', async (_, bytes) => {
    await occupy(service.server.url, 'POST /normalize', () => from('192.0.2.1'), bytes);
    expect((await normalize(from('192.0.2.2'))).status).toBe(200);
  });

  it.each([
    ['only begin', 1],
    ['almost arrived', LARGEST - 1],
  ])('of four addresses and %s do not stop another address', async (_, bytes) => {
    await occupy(service.server.url, 'POST /normalize', (i) => from(`192.0.2.${i}`), bytes);
    expect((await normalize(from('198.51.100.1'))).status).toBe(200);
  });

  describe('of one key', () => {
    let client: Client;

    beforeAll(async () => {
      client = await start({});
    });

    it.each([
      ['only begin', 1],
      ['almost arrived', LARGEST - 1],
    ])('and %s do not stop another key', async (_, bytes) => {
      const [key, other] = [await createKey(client), await createKey(client)];
      await occupy(client.base, 'POST /identifiers/batch', () => key, bytes);
      const headers = { 'content-type': 'application/json', ...other };
      expect((await client.send('POST', '/identifiers/batch', headers, BATCH)).status).toBe(200);
    });

    it('are more than the share of a client: it is rejected with Retry-After, and served after they end', async () => {
      const key = await createKey(client);
      await occupy(client.base, 'POST /identifiers/batch', () => key, 5_000_000);
      const rejected = open.map(({ received }) => received()).filter((text) => text !== '');
      expect(rejected).not.toEqual([]);
      expect(rejected[0]).toMatch(/^HTTP\/1\.1 429 [^]*\r\nretry-after: 1\r\n[^]*"code":"CONCURRENCY_LIMITED"/i);
      for (const { socket } of open.splice(0)) socket.destroy();
      await pause(200);
      const batch = BATCH.padEnd(LARGEST);
      const headers = { 'content-type': 'application/json', ...key };
      expect((await client.send('POST', '/identifiers/batch', headers, batch)).status).toBe(200);
    });
  });
});

describe('a chunked body', () => {
  const CHUNKED = { 'transfer-encoding': 'chunked' };

  it('over the limit of its route is rejected with the limit', async () => {
    const connection = await begin(service.server.url, 'POST /identifiers', { ...ADMIN, ...CHUNKED });
    connection.socket.write(`${(300_000).toString(16)}\r\n${' '.repeat(300_000)}\r\n`);
    await connection.until('"code":"BODY_TOO_LARGE"');
    expect(connection.received()).toContain('The body may have at most 262144 bytes.');
  });

  it('of more than 64 KiB counts on a route for one record', async () => {
    const small = await start({ BODY_LIMIT_BYTES: '262144', MAX_CONCURRENT_PER_KEY: '0' });
    const key = await createKey(small);
    const bytes = 200_000;
    const bodies = [];
    for (let i = 0; i < 2; i++) {
      const connection = await begin(small.base, 'POST /identifiers', { ...key, ...CHUNKED });
      connection.socket.write(`${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`);
      bodies.push(connection);
      await pause(200);
    }
    await bodies[1]!.until('"code":"CONCURRENCY_LIMITED"');
    expect(bodies[0]!.received()).toBe('');
  });

  it('that no parser reads is dropped, so that the next request of the connection has its response', async () => {
    const connection = await begin(service.server.url, 'POST /normalize', { ...CHUNKED, 'content-type': 'text/xml' });
    connection.socket.write(`${(300_000).toString(16)}\r\n${' '.repeat(300_000)}\r\n0\r\n\r\n`);
    await connection.until('UNSUPPORTED_MEDIA_TYPE');
    connection.socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(await connection.until('"state":"ok"')).toContain('HTTP/1.1 200 OK');
  });

  it('in chunks of one byte is read whole', async () => {
    const connection = await begin(service.server.url, 'POST /normalize', CHUNKED);
    const body = JSON.stringify({ items: [{ input: 'hdl:1/2' }] }).padStart(100_000);
    connection.socket.write(`${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`);
    expect(await connection.until('"normalized"')).toContain('HTTP/1.1 200 OK');
  });
});

describe('a body in tiny pieces takes no more memory than its bytes', () => {
  const rss = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.server.child.pid}/status`, 'utf8'))![1]) / 1024;

  /** The growth of the resident memory in the time in which the service reads what was sent. */
  async function growth(send: () => Promise<unknown>): Promise<number> {
    await normalize({});
    const idle = rss();
    let highest = idle;
    await send();
    for (let i = 0; i < 80; i++) {
      await service.client.get('/health/live');
      highest = Math.max(highest, rss());
      await pause(50);
    }
    process.stderr.write(`tiny pieces: ${Math.round(highest - idle)} MB above idle\n`);
    return highest - idle;
  }

  it('as chunks of one byte', async () => {
    const chunks = '1\r\n \r\n'.repeat(1_000_000);
    const mb = await growth(async () => {
      for (let i = 0; i < 4; i++) {
        const connection = await begin(service.server.url, 'POST /normalize', { 'transfer-encoding': 'chunked' });
        connection.socket.write(chunks);
      }
    });
    expect(mb).toBeLessThan(MAX_GROWTH_MB);
  });

  it('as line feeds behind 29 requests without a response', async () => {
    const gets = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(29);
    const bytes = 4_000_000;
    const post = `POST /normalize HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;
    const mb = await growth(async () => {
      for (let i = 0; i < 4; i++) {
        const connection = await connectTo(service.server.url);
        open.push(connection);
        connection.socket.pause();
        connection.socket.write(gets + post + '\n'.repeat(bytes - 1));
      }
    });
    expect(mb).toBeLessThan(MAX_GROWTH_MB);
  });
});
