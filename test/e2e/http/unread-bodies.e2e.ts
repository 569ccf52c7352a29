import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../harness/client.js';
import { ADMIN, useLimitedServices } from '../harness/limited-services.js';
import { type RawConnection, connectTo } from '../harness/raw-http.js';
import { startServer } from '../harness/server.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

const services = useLimitedServices();
const { start } = services;

const BYTES = 16_000_000;

/** A valid mint except for its size: a parser does not stop at its start. */
const BODY = Buffer.from(`{ "namingAuthority": "100.102", "metadataId": "${'x'.repeat(BYTES - 48)}" }`);

let client: Client;
let limited: Client;
let reader: Record<string, string>;

beforeAll(async () => {
  client = await start({});
  limited = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '1' });
  const key = await client.post('/api-keys', { client: 'reader', namingAuthorities: null, scopes: ['read'] }, ADMIN);
  reader = { authorization: `Bearer ${key.body.secret}` };
  await limited.get('/identifiers', reader);
});

const open: RawConnection[] = [];

afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy();
});

interface Rejection {
  readonly status: number;
  readonly code: string;
  readonly line: string;
  readonly headers?: () => Record<string, string>;
  readonly base?: () => string;
}

const REJECTIONS: readonly Rejection[] = [
  { status: 401, code: 'UNAUTHENTICATED', line: 'POST /identifiers' },
  { status: 401, code: 'UNAUTHENTICATED', line: 'POST /identifiers/batch' },
  { status: 403, code: 'SCOPE_MISSING', line: 'POST /identifiers', headers: () => reader },
  { status: 404, code: 'NOT_FOUND', line: 'POST /nowhere' },
  { status: 405, code: 'METHOD_NOT_ALLOWED', line: 'PUT /identifiers' },
  { status: 413, code: 'BODY_TOO_LARGE', line: 'POST /identifiers', headers: () => ADMIN },
  { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', line: 'POST /identifiers/bulk', headers: () => ADMIN },
  { status: 429, code: 'RATE_LIMITED', line: 'POST /normalize', headers: () => reader, base: () => limited.base },
];

/** Opens a connection and sends the head of a request. */
async function send({ line, headers, base }: Rejection, more: Record<string, string>): Promise<RawConnection> {
  const connection = await connectTo(base?.() ?? client.base);
  open.push(connection);
  const all = { host: 'localhost', 'content-type': 'application/json', ...headers?.(), ...more };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n`);
  return connection;
}

const SIZE = { 'content-length': String(BODY.length) };

describe.each(REJECTIONS)('$status $code of $line', (rejection) => {
  const { status, code } = rejection;

  it('is sent before any byte of the body has arrived', async () => {
    const connection = await send(rejection, SIZE);
    expect(await connection.until(`"code":"${code}"`)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('is sent instead of "100 Continue"', async () => {
    const connection = await send(rejection, { ...SIZE, expect: '100-continue' });
    const received = await connection.until(`"code":"${code}"`);
    expect(received.match(/HTTP\/1\.1 [0-9]+/g)).toEqual([`HTTP/1.1 ${status}`]);
  });

  it.each(['close', 'keep-alive'])('reaches a client that sends everything before it reads, with "%s"', async (way) => {
    const connection = await send(rejection, { ...SIZE, connection: way });
    connection.socket.pause();
    await new Promise<void>((resolve, reject) => {
      connection.socket.write(BODY, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    connection.socket.resume();
    expect(await connection.until(`"code":"${code}"`)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (way === 'close') await connection.closed();
    else {
      connection.socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await connection.until('"state":"ok"');
    }
    expect(connection.error()).toBeNull();
  });
});

describe('a body whose chunks are malformed', () => {
  it('does not prevent the rejection of its request in the same packet', async () => {
    const connection = await connectTo(client.base);
    open.push(connection);
    connection.socket.write('POST /nowhere HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nZZZ\r\n');
    expect(await connection.until('"code":"NOT_FOUND"')).toMatch(/^HTTP\/1\.1 404 /);
    await connection.closed();
    expect(connection.received().match(/HTTP\/1\.1 [0-9]+/g)).toHaveLength(1);
  });
});

describe('a body that no parser reads', () => {
  it.each([
    ['POST /identifiers', { 'content-type': 'text/plain' }],
    ['POST /identifiers', { 'content-type': 'application/json; charset=latin1' }],
    ['POST /identifiers', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    ['POST /identifiers', { 'content-type': 'application/merge-patch+json' }],
    ['POST /identifiers', { 'content-type': 'application/x-ndjson' }],
    ['POST /identifiers/bulk', { 'content-type': 'application/x-ndjson; charset=latin1' }],
  ])('is not asked for with "100 Continue": %s %j', async (line, headers) => {
    const rejection = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', line, headers: () => ADMIN };
    const connection = await send(rejection, { ...headers, 'content-length': '20', expect: '100-continue' });
    const received = await connection.until('"code":"UNSUPPORTED_MEDIA_TYPE"');
    expect(received.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 415']);
  });
});

describe('the body of a request', () => {
  it('with "Expect: 100-continue" is requested when the headers are accepted', async () => {
    const body = '{"items":[{"input":"hdl:1/2"}]}';
    const request = { status: 200, code: '', line: 'POST /normalize' };
    const connection = await send(request, { 'content-length': String(body.length), expect: '100-continue' });
    await connection.until('HTTP/1.1 100 Continue\r\n\r\n');
    connection.socket.write(body);
    expect(await connection.until('"normalized"')).toContain('HTTP/1.1 200 OK');
  });

  it.each([
    ['without a key', 'POST /identifiers'],
    ['to an unknown path', 'POST /nowhere'],
  ])('of 16 MB %s delays no other request', async (_, line) => {
    await undisturbed(() => sendBeside(line));
  });

  const sendBeside = async (line: string) => {
    const connections = await Promise.all(
      Array.from({ length: 8 }, () => send({ status: 401, code: '', line }, { ...SIZE, connection: 'close' })),
    );
    const state = { over: false };
    const sending = Promise.all(
      connections.map(async (connection) => {
        connection.socket.write(BODY);
        await connection.closed();
      }),
    ).finally(() => (state.over = true));
    const waits: number[] = [];
    while (!state.over) {
      const at = performance.now();
      await client.get('/health/live');
      waits.push(performance.now() - at);
    }
    await sending;
    expect(Math.max(...waits)).toBeLessThan(limitMs(1000));
  };
});

describe('twenty rejected bodies on one connection', () => {
  it('leave no listeners behind: Node warns of no leak', async () => {
    const server = await startServer({
      DATABASE_URL: services.database.url,
      ACCESS: 'open',
      NAMING_AUTHORITIES: '100.102',
    });
    try {
      const connection = await connectTo(server.url);
      open.push(connection);
      const bytes = 300_000;
      const head = `POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\n\r\n`;
      for (let i = 1; i <= 20; i++) {
        connection.socket.write(head);
        // The rejection comes before the body.
        while (connection.received().split('"code":"NOT_FOUND"').length <= i) await once(connection.socket, 'data');
        connection.socket.write(Buffer.alloc(bytes));
      }
      connection.socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await connection.until('"state":"ok"');
      expect(server.stderr()).not.toContain('Warning');
    } finally {
      await server.stop();
    }
  });
});
