import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PATH, input, total, withServer } from '../harness/bulk.js';
import { createDatabase } from '../harness/database.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { openStream, sendLines } from '../harness/stream.js';

const service = useService();
const bulk = (body: string, headers: Record<string, string> = {}) =>
  sendLines(service.server.url + PATH, body, headers);

describe('POST /identifiers/bulk', () => {
  it('returns one line for each line, in order, with its number, like the batch', async () => {
    const lines = await bulk(
      [
        '{"clientRef":"a"}',
        '{"mintMetadataId":true,"namingAuthority":"2000.01"}',
        '{"metadataId":"demo:7"}',
        '{"metadataId":"info:fedora/demo:7"}',
        '{"metadataId":"demo:7","onExisting":"reject"}',
        '{"namingAuthority":"99.9"}',
      ].join('\n'),
    );
    expect(lines.map((each) => [each.line, each.clientRef, each.status, each.problem?.code])).toEqual([
      [1, 'a', 201, undefined],
      [2, null, 201, undefined],
      [3, null, 201, undefined],
      [4, null, 200, undefined],
      [5, null, 409, 'METADATA_ID_TAKEN'],
      [6, null, 422, 'UNKNOWN_NAMING_AUTHORITY'],
    ]);
    expect(lines[3].identifier).toBe(lines[2].identifier);
    expect(lines[1].metadataRecord.describes).toEqual([lines[1].identifier]);
    const found = await service.client.get(`/identifiers/${lines[0].identifier}`);
    expect([found.body, lines[0].metadataRecord]).toEqual([lines[0].record, null]);
  });

  it('returns a problem for a malformed line and continues; blank lines are numbered without a result', async () => {
    const long = `{"clientRef":"${'x'.repeat(70_000)}"}`;
    const lines = await bulk(
      [
        '',
        '{',
        '  \r',
        '[]',
        'null',
        '{"clientRef":"\u0000"}',
        '{"target":"http://x/\\u0000"}',
        long,
        '{"a":1,"a":2}',
        '{}\r',
        '{"x":1}',
        '{}',
      ].join('\n'),
    );
    expect(lines.map((each) => [each.line, each.status, each.problem?.code])).toEqual([
      [2, 400, 'MALFORMED_JSON'],
      [4, 400, 'INVALID_REQUEST'],
      [5, 400, 'INVALID_REQUEST'],
      [6, 400, 'MALFORMED_JSON'],
      [7, 400, 'INVALID_REQUEST'],
      [8, 413, 'BODY_TOO_LARGE'],
      [9, 400, 'MALFORMED_JSON'],
      [10, 201, undefined],
      [11, 400, 'INVALID_REQUEST'],
      [12, 201, undefined],
    ]);
  });

  it('returns nothing for an empty body, and a problem for a line that is not UTF-8', async () => {
    expect(await bulk('')).toEqual([]);
    const stream = openStream(service.server.url + PATH);
    stream.request.end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a]));
    expect((await stream.lines.next()).value).toMatchObject({
      line: 1,
      status: 400,
      problem: { code: 'MALFORMED_JSON' },
    });
  });

  it.each([
    ['/identifiers/bulk', 'application/json', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['/identifiers/bulk', 'text/csv', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['/identifiers', 'application/x-ndjson', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['/identifiers/batch', 'application/x-ndjson', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['/identifiers/bulk', 'application/x-ndjson; charset=latin1', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['/identifiers/bulk?mode=atomic', 'application/x-ndjson', 400, 'INVALID_REQUEST'],
  ])('%s with %s returns %i', async (path, type, status, code) => {
    const answer = await service.client.send('POST', path, { 'content-type': type }, '{}');
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    if (status === 415 && path.endsWith('/bulk')) expect(answer.body.detail).toContain('or application/jsonl');
  });

  it('returns the first line within 100 ms, while the request continues', async () => {
    await bulk(input(10));
    const stream = openStream(service.server.url + PATH);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const start = performance.now();
      stream.request.write(input(1));
      expect((await stream.lines.next()).value.status).toBe(201);
      times.push(performance.now() - start);
    }
    stream.request.end();
    expect((await stream.lines.next()).done).toBe(true);
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('takes no line that was cut in the middle', async () => {
    const before = await total(service.database.url);
    const socket = connect({ port: Number(new URL(service.server.url).port), host: '127.0.0.1' });
    const whole = '{"clientRef":"whole"}\n';
    const body = `${whole}{"clientRef":"cut"}`;
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ncontent-length: 1000\r\n\r\n${body}`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await pause(300);
    expect(await total(service.database.url)).toBe(before + 1);
  });

  it('is silent too long: it ends with a line that says so', async () => {
    await withServer(
      async (server) => {
        const stream = openStream(server.url + PATH);
        for (let round = 0; round < 4; round++) {
          stream.request.write(input(1));
          expect((await stream.lines.next()).value.status).toBe(201);
          await pause(750);
        }
        expect((await stream.lines.next()).value).toMatchObject({
          line: 5,
          status: 408,
          problem: { code: 'REQUEST_TIMEOUT' },
        });
        stream.request.destroy();
      },
      // Shorter than the four pauses together, and longer than each of them on a busy machine.
      { REQUEST_TIMEOUT_MS: '2500' },
    );
  });
});

describe('a bulk with an Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name });

  it('replays each line that is sent again, and rejects another line in its place', async () => {
    const body = `${input(3)}{"mintMetadataId":true}\n{"target":"no"}\n{}\n`;
    const first = await bulk(body, key('k1'));
    const before = await total(service.database.url);
    expect(await bulk(body, key('k1'))).toEqual(first);
    expect(await total(service.database.url)).toBe(before);
    const [line] = await bulk('{"target":"https://x.example/"}\n', key('k1'));
    expect(line).toMatchObject({ line: 1, status: 422, problem: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('that belongs to a batch rejects every line, and a batch rejects the key of a bulk', async () => {
    await service.client.post('/identifiers/batch', { namingAuthority: '100.102', count: 1 }, key('k2'));
    expect((await bulk('{}\n', key('k2'))).map(({ problem }) => problem.code)).toEqual(['IDEMPOTENCY_KEY_REUSED']);
    await bulk('{}\n', key('k3'));
    const answer = await service.client.post('/identifiers/batch', { namingAuthority: '100.102', count: 1 }, key('k3'));
    expect(answer.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('that belongs to a single mint rejects every line', async () => {
    expect((await service.client.mint({}, key('single'))).status).toBe(201);
    const results = await bulk(`${input(2)}{"target":7}\n`, key('single'));
    const codes = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED', 'INVALID_REQUEST'];
    expect(results.map(({ problem }) => problem?.code)).toEqual(codes);
  });

  it('rejects a single mint with its key, alone and in a storm of them', async () => {
    await bulk(input(3), key('stream'));
    const before = await total(service.database.url);
    for (let i = 0; i < 3; i++) {
      const storm = Array.from({ length: 5 }, () => service.client.mint({}, key('stream')));
      const codes = (await Promise.all(storm)).map(({ status, body }) => [status, body.code]);
      expect(codes).toEqual(Array(5).fill([422, 'IDEMPOTENCY_KEY_REUSED']));
    }
    expect(await total(service.database.url)).toBe(before);
  });

  it('goes on after kill -9: acknowledged lines keep their identifiers, and no line gets a second one', async () => {
    const count = 8000;
    const body = input(count);
    const database = await createDatabase();
    const variables = { DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' };
    const server = await startServer(variables);
    const acknowledged = new Map<number, string>();
    const stream = openStream(server.url + PATH, key('killed'));
    stream.request.end(body);
    try {
      for await (const { line, identifier } of stream.lines) {
        acknowledged.set(line, identifier);
        if (acknowledged.size === 1500) server.child.kill('SIGKILL');
      }
    } catch {
      // The connection is cut intentionally.
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(1500);
    expect(acknowledged.size).toBeLessThan(count);
    const second = await startServer(variables);
    const lines = await sendLines(second.url + PATH, body, key('killed'));
    expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    for (const [line, identifier] of acknowledged) expect(lines[line - 1].identifier).toBe(identifier);
    expect(new Set(lines.map(({ identifier }) => identifier)).size).toBe(count);
    expect(await total(database.url)).toBe(count);
    await second.stop();
    await database.drop();
  });

  it('ends cleanly on SIGTERM with a last line SHUTTING_DOWN, and resumes', async () => {
    await withServer(async (server, database) => {
      const stream = openStream(server.url + PATH, key('stopped'));
      stream.request.write(input(50));
      const answered: any[] = [];
      while (answered.length < 50) answered.push((await stream.lines.next()).value);
      const stopped = server.stop('SIGTERM');
      const last = (await stream.lines.next()).value;
      expect(last).toMatchObject({ line: 51, status: 503, problem: { code: 'SHUTTING_DOWN' } });
      expect('identifier' in last).toBe(false);
      stream.request.end();
      expect((await stream.lines.next()).done).toBe(true);
      expect((await stopped).code).toBe(0);
      const second = await startServer({ DATABASE_URL: database.url, ACCESS: 'open' });
      const lines = await sendLines(second.url + PATH, input(60), key('stopped'));
      expect(lines.slice(0, 50)).toEqual(answered);
      expect(await total(database.url)).toBe(60);
      await second.stop();
    });
  });

  it('ends with one problem line when the database goes, and every line before it is durable', async () => {
    await withServer(async (server, database) => {
      const stream = openStream(server.url + PATH, key('gone'));
      stream.request.write(input(5));
      for (let line = 1; line <= 5; line++) expect((await stream.lines.next()).value.status).toBe(201);
      const admin = new pg.Client({ connectionString: database.url });
      await admin.connect();
      await admin.query('ALTER TABLE identifier RENAME TO hidden');
      await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
      );
      await admin.end();
      await database.drop();
      stream.request.write(input(5, 6));
      const last = (await stream.lines.next()).value;
      expect([last.line, last.status]).toEqual([6, 503]);
      expect(['DATABASE_UNAVAILABLE', 'OUTCOME_UNKNOWN']).toContain(last.problem.code);
      stream.request.end();
      expect((await stream.lines.next()).done).toBe(true);
    });
  });
});
