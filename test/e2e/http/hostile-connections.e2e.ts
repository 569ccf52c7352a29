import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Random } from '../../fuzz/random.js';
import { useService } from '../harness/service.js';
import { PATIENT } from '../harness/stalls.js';

const KEY = 'correct-horse-battery-staple-correct-horse';
const service = useService({
  ...PATIENT,
  ...{ ACCESS: 'keys', ADMIN_API_KEY: KEY, BODY_LIMIT_BYTES: '2097152', LOG_LEVEL: 'error' },
});

const HEADERS = `host: localhost\r\nauthorization: Bearer ${KEY}\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${HEADERS}${more}\r\n`;
const post = (path: string, type: string, more: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${HEADERS}content-type: ${type}\r\n${more}\r\n\r\n${body}`;
const MINT = '{"namingAuthority":"100.102"}';
const LINES = '{"namingAuthority":"100.102"}\n'.repeat(300);
const ROWS = `identifier,metadataId\n${'100.102/AB,\n'.repeat(300)}`;
const CHUNKED = 'transfer-encoding: chunked';

/** Complete, incomplete and broken requests, and bytes that are none. */
const BYTES: readonly string[] = [
  get('/openapi.json'),
  get('/docs/swagger-ui-bundle.js'),
  get('/identifiers?limit=100'),
  get('/identifiers/export'),
  get('/identifiers/export', 'accept: text/csv\r\n'),
  get('/events', 'accept: text/event-stream\r\n'),
  get('/events?wait=5'),
  get('/health/live', 'connection: close\r\n'),
  get('/health/live', 'upgrade: websocket\r\nconnection: upgrade\r\n'),
  get('/%zz'),
  get('*'),
  get('/identifiers?limit=1000'),
  get('/hdlresolver/listhandles/100.102'),
  get('/hrls/handles?retrieverecords=true'),
  get('/nowhere', 'expect: nonsense\r\n'),
  post('/identifiers', 'application/json', `content-length: ${MINT.length}`, MINT),
  post('/identifiers', 'application/json', `content-length: ${MINT.length}\r\nexpect: 100-continue`, ''),
  post('/identifiers', 'application/json', `content-length: ${MINT.length}\r\nexpect: 100-continue`, MINT),
  post('/identifiers/batch', 'application/json', 'content-length: 1500000', '{"items":['),
  post('/identifiers/batch', 'application/json', CHUNKED, chunk('{"items":[')),
  post('/normalize', 'application/json', CHUNKED, chunk(`{"items":["${'x'.repeat(1_200_000)}`)),
  post('/normalize', 'application/json', CHUNKED, chunk(`{"items":["${'x'.repeat(2_300_000)}`)),
  post('/identifiers/bulk', 'application/x-ndjson', CHUNKED, chunk(LINES)),
  post('/identifiers/bulk', 'application/x-ndjson', `${CHUNKED}\r\nexpect: 100-continue`, chunk(LINES)),
  post('/identifiers/bulk', 'application/x-ndjson', `content-length: ${LINES.length}`, LINES),
  post('/identifiers/import', 'application/x-ndjson', CHUNKED, chunk('{"identifier":"100.102/AB"}\n')),
  post('/identifiers/import', 'text/csv', CHUNKED, chunk(ROWS)),
  post('/identifiers/import', 'text/csv', CHUNKED, chunk('iden')),
  post('/identifiers/import', 'text/csv', CHUNKED, chunk(`${ROWS}"${'x'.repeat(200_000)}`)),
  `PUT /identifiers HTTP/1.1\r\n${HEADERS}content-length: 500000\r\n\r\n{}`,
  `CONNECT localhost:1 HTTP/1.1\r\n${HEADERS}\r\n`,
  `GET /openapi.json HTTP/1.1\r\nx: ${'y'.repeat(70_000)}`,
  'GET /health/ready HTTP/1.0\r\n\r\n',
  chunk(LINES),
  '0\r\n\r\n',
  '\r\n\r\n',
  'zz\r\n',
  '\x16\x03\x01\x00\xa5\x01',
];

type Closing = (socket: Socket) => void;

/** Node 20 never closes a socket that is reset while it connects or after `end`, and its process does not exit. */
const reset: Closing = (socket) => (socket.connecting ? socket.destroy() : socket.resetAndDestroy());
const CLOSINGS: readonly Closing[] = [
  reset,
  (socket) => socket.destroy(),
  (socket) => {
    socket.end();
    // With unread bytes the system sends a reset.
    setTimeout(() => socket.destroy(), 50);
  },
];

/** Connects, sends bytes with pauses, and ends the connection. @param reads whether the client reads. */
async function misuse(pieces: readonly string[], pausesMs: readonly number[], close: Closing, reads: boolean) {
  const { hostname, port } = new URL(service.server.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  socket.on('error', () => {});
  if (reads) socket.resume();
  for (const [index, piece] of pieces.entries()) {
    socket.write(Buffer.from(piece, 'latin1'));
    await pause(pausesMs[index]);
  }
  close(socket);
  await closed;
}

/** The service lives, and nothing that nobody foresaw is in its log. */
async function expectUnharmed(): Promise<void> {
  await pause(500);
  const { child, stderr, stdout } = service.server;
  if (child.exitCode !== null) throw new Error(`the service has ended: ${stderr()}`);
  expect((await service.client.get('/health/live')).status).toBe(200);
  expect(stdout()).toBe('');
  expect(stderr()).not.toContain('Warning');
}

it('a connection that is reset after CONNECT does not end the process', async () => {
  for (let ms = 0; ms < 10; ms++) {
    const connecting = `CONNECT localhost:1 HTTP/1.1\r\nhost: localhost\r\n\r\n${'x'.repeat(1000)}`;
    await misuse([connecting], [ms], reset, ms % 2 === 0);
  }
  await expectUnharmed();
});

it('connections that end at any moment of any request do no harm', async () => {
  const random = new Random('connections');
  const end = performance.now() + 5000;
  let misuses = 0;
  const client = async () => {
    while (performance.now() < end && service.server.child.exitCode === null) {
      const pieces = Array.from({ length: random.int(1, 4) }, () => {
        const bytes = random.pick(BYTES);
        return bytes.length < 1000 && random.chance(0.1) ? bytes.repeat(40) : bytes;
      });
      const pauses = pieces.map(() => random.int(0, 12));
      await misuse(pieces, pauses, random.pick(CLOSINGS), random.chance(0.7));
      misuses += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
  expect(misuses).toBeGreaterThan(100);
  await expectUnharmed();
});

it('streams that wait for more of their bodies, many at once, cause no warning of the runtime', async () => {
  const { hostname, port } = new URL(service.server.url);
  const streams = Array.from({ length: 20 }, () => connect(Number(port), hostname));
  for (const socket of streams) {
    socket.on('error', () => {});
    socket.write(post('/identifiers/bulk', 'application/x-ndjson', CHUNKED, chunk('{"namingAuthority":"100.102"}\n')));
  }
  await Promise.all(streams.map((socket) => once(socket, 'data')));
  await expectUnharmed();
  for (const socket of streams) socket.destroy();
});
