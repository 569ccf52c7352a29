import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase } from '../harness/database.js';
import { runToEnd, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const KEY = 'correct-horse-battery-staple-correct-horse';
const WRONG_KEY = 'wrong-horse-battery-staple-wrong-horse-wrong';
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: KEY, LOG_LEVEL: 'trace' });

type Line = Record<string, unknown>;

const lines = (): Line[] =>
  service.server
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** Sends bytes and waits until the connection is closed. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.server.url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', reject);
  });

/** The log is written after the response: a request with its own id shows that all earlier lines are written. */
async function settled(): Promise<Line[]> {
  const id = `settled-${Math.random()}`;
  await service.client.get('/problems', { 'x-request-id': id });
  for (let i = 0; i < 400; i++) {
    const found = lines();
    if (found.some(({ reqId }) => reqId === id)) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the request was not logged within ten seconds');
}

describe('trace context', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';

  it('a valid traceparent names trace and caller in the line of the request', async () => {
    await service.client.get('/problems', {
      'x-request-id': 'traced',
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    });
    const line = (await settled()).find(({ reqId }) => reqId === 'traced');
    expect(line).toMatchObject({ msg: 'request', traceId: TRACE, parentId: 'b7ad6b7169203331' });
  });

  it('another one leaves no trace, and the request is served', async () => {
    const traceparent = `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`;
    const answer = await service.client.get('/problems', { 'x-request-id': 'untraced', traceparent });
    expect(answer.status).toBe(200);
    const line = (await settled()).find(({ reqId }) => reqId === 'untraced');
    expect(line).toMatchObject({ msg: 'request' });
    expect(line).not.toHaveProperty('traceId');
  });
});

/** A line in the format of the service, which an attacker might inject into the log. */
const FORGED = '{"level":30,"msg":"forged"}';

describe('a caller cannot write to the log', () => {
  it.each([
    ['CR and LF in escapes of the path', `GET /a%0d%0a${encodeURIComponent(FORGED)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'LF in escapes of the query',
      `GET /identifiers?target=%0a${encodeURIComponent(FORGED)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    ['CR in the path', `GET /a\r${FORGED} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['LF in the path', `GET /a\n${FORGED} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a folded line in a header', `GET /a HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n ${FORGED}\r\n\r\n`],
    ['LF in X-Request-Id', `GET /a HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\n${FORGED}\r\n\r\n`],
    ['CR in X-Request-Id', `GET /a HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r${FORGED}\r\n\r\n`],
    ['a quotation mark in X-Request-Id', `GET /a HTTP/1.1\r\nHost: x\r\nX-Request-Id: a","msg":"forged\r\n\r\n`],
    ['LF in the traceparent', `GET /a HTTP/1.1\r\nHost: x\r\nTraceparent: 00\n${FORGED}\r\n\r\n`],
    ['a quotation mark in the path', `GET /a","msg":"forged HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['LF in the method', `GE\nT / HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('by %s', async (_, bytes) => {
    await raw(bytes.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'));
    const found = await settled();
    expect(found.filter(({ msg }) => msg === 'forged')).toEqual([]);
    expect(found.map((line) => typeof line.time)).not.toContain('undefined');
  });

  it.each([
    ['ESC in a header', 'GET /a HTTP/1.1\r\nHost: x\r\nX-Request-Id: \x1b[2J\r\n'],
    ['ESC in the path', 'GET /a\x1b[2J HTTP/1.1\r\nHost: x\r\n'],
    ['CSI, U+009B, in the path, as one byte', 'GET /a\x9b2J HTTP/1.1\r\nHost: x\r\n'],
    ['DEL in the path', 'GET /a\x7f HTTP/1.1\r\nHost: x\r\n'],
    ['ESC and CSI in escapes of the path', 'GET /a%1b[2J%c2%9b2J HTTP/1.1\r\nHost: x\r\n'],
    ['ESC in the Idempotency-Key', 'POST /identifiers HTTP/1.1\r\nHost: x\r\nIdempotency-Key: \x1b[2J\r\n'],
  ])('control characters of a terminal: %s', async (_, bytes) => {
    await raw(`${bytes}Connection: close\r\n\r\n`);
    await settled();
    // The rest of it, without visible characters.
    expect(service.server.stdout().replace(/[\n\x20-\x7e\u00a0-\ud7ff]/g, '')).toBe('');
    expect(service.server.stdout()).not.toMatch(/[\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('a line of the log', () => {
  it('contains no control character of a terminal, and parses as what was logged', () => {
    const texts = ['\x1b[2J', '\x9b2J', '\x7f', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066', '\r\n', 'é€😀'];
    const logger = fileURLToPath(new URL('../../../dist/logging/logger.js', import.meta.url));
    const program = `import { createLogger } from ${JSON.stringify(logger)};
      createLogger('info').info({ texts: ${JSON.stringify(texts)} }, ${JSON.stringify(texts.join())});`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(stdout.replace(/\n$/, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(stdout)).toMatchObject({ texts, msg: texts.join() });
  });
});

describe('input that never becomes a request', () => {
  const broken = async () => (await settled()).filter(({ msg }) => msg === 'malformed request');

  it.each([
    [
      'a broken header',
      `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nBROKEN\r\n\r\n`,
      400,
      'MALFORMED_HTTP',
    ],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'MALFORMED_HTTP'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(70_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n', 404, 'NOT_FOUND'],
  ])('is logged once, without its bytes: %s', async (_, bytes, status, code) => {
    const before = (await broken()).length;
    await raw(bytes);
    const lines = (await broken()).slice(before);
    expect(lines).toEqual([
      expect.objectContaining({ level: 30, status, code, reason: expect.any(String), address: '127.0.0.0' }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/aaaa|correct-horse|hello|evil/);
  });

  it('is not a URL that is not well formed: it has a line as any request', async () => {
    await service.client.get('/%zz', { 'x-request-id': 'bad-url' });
    const line = (await settled()).find(({ reqId }) => reqId === 'bad-url');
    expect(line).toMatchObject({ msg: 'request', method: 'GET', url: '/%zz', status: 400 });
  });
});

describe('a line is at most 2 KB long', () => {
  const bytesOf = (text: string) => text.split('\n').map((line) => Buffer.byteLength(`${line}\n`));

  it.each([
    ['of letters', 'a'.repeat(30_000)],
    ['of escapes', '%F0%9F%98%80'.repeat(3000)],
    ['of quotation marks', '%22'.repeat(9000)],
  ])('whatever the URL: one %s', async (name, text) => {
    const id = `long-${name.replaceAll(' ', '-')}`;
    await service.client.get(`/identifiers?limit=${text}`, { 'x-request-id': id });
    await settled();
    const line = lines().find(({ reqId }) => reqId === id)!;
    expect(line).toMatchObject({ msg: 'request', status: 400 });
    expect(String(line.url)).toMatch(/^\/identifiers\?limit=.+…$/);
    expect(Math.max(...bytesOf(service.server.stdout()))).toBeLessThanOrEqual(2048);
  });
});

describe('secrets', () => {
  it('a key, valid or not, in any header, is in no line, at the most verbose level', async () => {
    for (const authorization of [`Bearer ${KEY}`, `Basic ${KEY}`, KEY, `Bearer ${WRONG_KEY}`]) {
      for (const path of ['/identifiers', '/nowhere', '/%zz']) await service.client.get(path, { authorization });
      await service.client.post('/identifiers', { authorization }, { authorization });
    }
    await raw(`GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nBROKEN\r\n\r\n`);
    await settled();
    for (const output of [service.server.stdout(), service.server.stderr()]) {
      expect(output).not.toContain(KEY);
      expect(output).not.toContain(WRONG_KEY);
    }
  });

  it('the password of the database is in no line, with the database gone and its connections cut', async () => {
    const database = await createDatabase();
    const admin = new pg.Client({ connectionString: service.database.url });
    await admin.connect();
    await admin.query("CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'hush-this-is-secret'");
    const url = new URL(database.url);
    [url.username, url.password] = ['keeper', 'hush-this-is-secret'];
    const server = await startServer({ DATABASE_URL: url.href, ACCESS: 'open', LOG_LEVEL: 'trace' });
    await fetch(`${server.url}/identifiers`);
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'");
    await database.drop();
    await fetch(`${server.url}/identifiers`);
    await fetch(`${server.url}/health/ready`);
    await server.stop();
    await admin.query('DROP ROLE keeper');
    await admin.end();
    // The first line of an outage is that of a request or of an idle connection.
    expect(server.stdout()).toMatch(/a database connection was lost|terminating connection/);
    expect(server.stdout() + server.stderr()).not.toContain('hush-this-is-secret');
    // Nor other secrets of a connection: the server's response to the password, and the key that cancels queries.
    expect(server.stdout()).not.toMatch(/secretKey|saslSession|connectionParameters/);
  });

  it.each([
    ['a database that rejects it', 'postgresql://keeper:hush-this-is-secret@127.0.0.1:1/none'],
    ['an address that cannot be read', 'postgresql://keeper:hush-this-is-secret@127.0.0.1:notaport/none'],
    ['an address with a host that is none', 'postgresql://keeper:hush-this-is-secret@[/none'],
    ['an address of another scheme', 'mysql://keeper:hush-this-is-secret@127.0.0.1/none'],
  ])('the password of the database is not shown at a start with %s', async (_, url) => {
    const { code, stdout, stderr } = await runToEnd({ DATABASE_URL: url, ADMIN_API_KEY: KEY });
    expect(code).toBe(1);
    expect(stderr).toContain('Mintmark cannot start');
    expect(stdout + stderr).not.toContain('hush-this-is-secret');
    expect(stdout + stderr).not.toContain(KEY);
  });

  it('a key that is too short is not shown at the start', async () => {
    const { code, stdout, stderr } = await runToEnd({ ACCESS: 'keys', ADMIN_API_KEY: 'hush-too-short' });
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('hush-too-short');
  });
});
