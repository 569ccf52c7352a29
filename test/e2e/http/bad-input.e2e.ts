import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const service = useService({ BODY_LIMIT_BYTES: '65536', REQUEST_TIMEOUT_MS: '1000' });

const JSON_TYPE = { 'content-type': 'application/json' };
const send = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) =>
  service.client.send('POST', '/identifiers', headers, body);

/** A request with a body of one chunk, on a connection that stays open. */
const chunkedRequest = (version: string, ...lines: string[]) =>
  [
    `POST /normalize HTTP/${version}`,
    ...['host: localhost', 'connection: keep-alive', 'content-type: application/json', ...lines, ''],
    ...['1e', '{"items":[{"input":"demo:7"}]}', '0', '', ''],
  ].join('\r\n');

describe('POST /identifiers rejects', () => {
  const bodies: [string, string | Uint8Array, number, string][] = [
    ['no body', '', 400, 'INVALID_REQUEST'],
    ['half a body', '{"namingAuthority":"100.1', 400, 'MALFORMED_JSON'],
    ['a comma too many', '{"namingAuthority":"100.102",}', 400, 'MALFORMED_JSON'],
    ['a list', '[]', 400, 'INVALID_REQUEST'],
    ['null', 'null', 400, 'INVALID_REQUEST'],
    ['a number', '5', 400, 'INVALID_REQUEST'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'MALFORMED_JSON'],
    ['a key that stands twice', '{"namingAuthority":"100.102","namingAuthority":"100.103"}', 400, 'MALFORMED_JSON'],
    ['a number past 2^53', '{"namingAuthority":9007199254740993}', 400, 'MALFORMED_JSON'],
    ['lists within lists without end', '['.repeat(60_000), 400, 'MALFORMED_JSON'],
    [
      'lists that parse and would overflow later',
      `{"namingAuthority":${'['.repeat(3000)}${']'.repeat(3000)}}`,
      400,
      'MALFORMED_JSON',
    ],
    ['a member called toString', '{"namingAuthority":"100.102","toString":1}', 400, 'MALFORMED_JSON'],
    ['__proto__ in escapes', '{"namingAuthority":"100.102","\\u005f_proto__":{}}', 400, 'MALFORMED_JSON'],
    ['a body over the limit', `{"namingAuthority":"${'1'.repeat(70_000)}"}`, 413, 'BODY_TOO_LARGE'],
    ['a member it does not have', '{"namingAuthority":"100.102","colour":"red"}', 400, 'INVALID_REQUEST'],
    ['a member called __proto__', '{"namingAuthority":"100.102","__proto__":{"x":1}}', 400, 'MALFORMED_JSON'],
    ['no naming authority', '{}', 400, 'INVALID_REQUEST'],
    ['a naming authority that is a number', '{"namingAuthority":100.102}', 400, 'INVALID_REQUEST'],
    ['a naming authority that is null', '{"namingAuthority":null}', 400, 'INVALID_REQUEST'],
    ['CID-09: an unknown naming authority', '{"namingAuthority":"100.103"}', 422, 'UNKNOWN_NAMING_AUTHORITY'],
    ['R-25: 100.102 with a leading zero', '{"namingAuthority":"0100.102"}', 422, 'UNKNOWN_NAMING_AUTHORITY'],
    ['CID-06: an empty segment', '{"namingAuthority":"100..102"}', 400, 'INVALID_NAMING_AUTHORITY'],
    ['U+0000 in the naming authority', '{"namingAuthority":"100\\u0000"}', 400, 'INVALID_CHARACTER'],
    ['a lone surrogate in the naming authority', '{"namingAuthority":"\\ud800"}', 400, 'INVALID_CHARACTER'],
    [
      'an SQL phrase as naming authority',
      '{"namingAuthority":"1\'; DROP TABLE identifier; --"}',
      422,
      'UNKNOWN_NAMING_AUTHORITY',
    ],
  ];

  it.each(bodies)('%s', async (_, body, status, code) => {
    const answer = await send(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it.each([
    ['no body', '', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a text', '"100.102"', 'The body must be a JSON object.'],
    [
      'a member it does not have',
      '{"namingAuthority":"100.102","colour":"red"}',
      '/colour: "colour" is not a member of this request; permitted: alternateIds, ',
    ],
  ])('%s in words that say what is expected', async (_, body, words) => {
    expect((await send(body)).body.detail).toContain(words);
  });

  it.each(['/identifiers/batch', '/identifiers/lookup', '/normalize'])(
    'a list in the place of the object of POST %s, and names its member "items"',
    async (path) => {
      const { status, body } = await service.client.post(path, [{}]);
      const detail = 'The body must be a JSON object that has the list as its member "items".';
      expect([status, body.code, body.detail]).toEqual([400, 'INVALID_REQUEST', detail]);
    },
  );

  it('an item that is no object, in words about the item', async () => {
    const { body } = await service.client.post('/identifiers/batch', { items: [5] });
    const { problem } = body.items[0];
    expect([problem.status, problem.detail]).toEqual([400, 'The line or item must be a JSON object.']);
    expect(problem.errors).toEqual([{ pointer: '', detail: 'must be a JSON object' }]);
  });

  it('a stream in place of an object, without another media type than the one that was sent', async () => {
    const headers = { 'content-type': 'application/jsonl' };
    const { status, body } = await service.client.send('POST', '/identifiers', headers, '{}');
    expect([status, body.detail]).toEqual([415, 'This request has no stream; send application/json.']);
  });

  it('a reason code that a caller cannot give, and lists those that it can', async () => {
    const path = `/identifiers/100.102/${'0'.repeat(32)}/withdraw`;
    const { body } = await service.client.post(path, { reason: 'x', reasonCode: 'Legal' });
    const detail = 'reasonCode must be one of the following values: duplicate, error, legal, other';
    expect(body.errors).toEqual([{ pointer: '/reasonCode', detail }]);
  });

  it('a body in chunks over the limit, and names the limit in bytes', async () => {
    const body = new Blob([`{"namingAuthority":"${'1'.repeat(300_000)}"}`]).stream();
    const answer = await fetch(`${service.server.url}/identifiers`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' as const },
    });
    expect(answer.status).toBe(413);
    expect(((await answer.json()) as { detail: string }).detail).toMatch(/at most [0-9]+ bytes/);
  });

  it('a query parameter that the list does not have, and names those that it has', async () => {
    const { status, body } = await service.client.get('/identifiers?colour=red');
    expect([status, body.errors[0].parameter]).toEqual([400, 'colour']);
    expect(body.detail).toContain('"colour" is not a parameter of this request; permitted: ');
  });

  const fields: [string, object, string, string][] = [
    ['CID-10: a GUID of 31 digits', { guid: 'F58FB49EB1F848F0A606E84CEF294BE' }, 'INVALID_GUID', '/guid'],
    ['a GUID with a digit that is none', { guid: 'G58FB49EB1F848F0A606E84CEF294BE5' }, 'INVALID_GUID', '/guid'],
    ['an empty metadata ID', { metadataId: '' }, 'NOT_RECOGNIZED', '/metadataId'],
    ['a metadata ID that is a list', { metadataId: ['hdl:1/2'] }, 'INVALID_REQUEST', '/metadataId'],
    ['U+0000 in a metadata ID', { metadataId: 'hdl:1234/a\u0000b' }, 'INVALID_CHARACTER', '/metadataId'],
    ['a lone surrogate in a metadata ID', { metadataId: '1234/\udc00' }, 'INVALID_CHARACTER', '/metadataId'],
    ['an escaped byte that is not UTF-8', { metadataId: 'hdl:1234/%FF' }, 'INVALID_UTF8', '/metadataId'],
    ['a metadata ID too long when escaped', { metadataId: `1/${'é'.repeat(6000)}` }, 'INVALID_REQUEST', '/metadataId'],
    ['a UUID as metadata ID', { metadataId: 'F58FB49EB1F848F0A606E84CEF294BE5' }, 'MISSING_SEPARATOR', '/metadataId'],
    [
      'a metadata ID given and asked for',
      { metadataId: 'hdl:1/2', mintMetadataId: true },
      'INVALID_REQUEST',
      '/mintMetadataId',
    ],
    ['a target that is no URL', { target: 'repo.example.org' }, 'INVALID_REQUEST', '/target'],
    ['a target of another scheme', { target: 'javascript:alert(1)' }, 'INVALID_REQUEST', '/target'],
    ['U+0000 in a target', { target: 'https://repo.example.org/\u0000' }, 'INVALID_REQUEST', '/target'],
    ['a target with a space', { target: 'https://repo.example.org/a b' }, 'INVALID_REQUEST', '/target'],
    ['a target without slashes', { target: 'http:a.org' }, 'INVALID_REQUEST', '/target'],
    ['a target with a broken escape', { target: 'https://a.org/%zz' }, 'INVALID_REQUEST', '/target'],
    ['a target with a character that URIs do not have', { target: 'https://a.org/a|b' }, 'INVALID_REQUEST', '/target'],
    ['a target with a password', { target: 'https://user:secret@a.org/' }, 'INVALID_REQUEST', '/target'],
    [
      'a target over 2048 characters',
      { target: `https://repo.example.org/${'a'.repeat(2048)}` },
      'INVALID_REQUEST',
      '/target',
    ],
    [
      'a malformed alternate',
      { alternateIds: ['demo:1', 'hdl:1..2/x'] },
      'INVALID_NAMING_AUTHORITY',
      '/alternateIds/1',
    ],
    [
      'more than 100 alternates',
      { alternateIds: Array.from({ length: 101 }, (_, i) => `demo:${i}`) },
      'INVALID_REQUEST',
      '/alternateIds',
    ],
    ['another word for onExisting', { onExisting: 'overwrite' }, 'INVALID_REQUEST', '/onExisting'],
  ];

  it.each(fields)('%s', async (_, field, code, pointer) => {
    const answer = await service.client.mint(field);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });

  it.each(['', 'two words', 'é', 'k'.repeat(256)])('the Idempotency-Key "%s"', async (key) => {
    const answer = await service.client.mint({}, { 'idempotency-key': Buffer.from(key).toString('latin1') });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
  });

  it.each([
    ['POST', '/identifiers'],
    ['POST', '/identifiers/batch'],
    ['POST', '/reservations'],
    ['POST', '/naming-authorities'],
    ['PATCH', '/naming-authorities/100.102'],
    ['POST', '/api-keys'],
  ])('rejects an Idempotency-Key before a body, in %s %s', async (method, path) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'two words', 'if-match': '*' };
    const answer = await service.client.send(method, path, headers, '{"none":1}');
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
  });

  it('a body of another media type, or of none', async () => {
    for (const headers of [{ 'content-type': 'application/x-www-form-urlencoded' }, { 'content-type': 'text/plain' }]) {
      const answer = await send('namingAuthority=100.102', headers);
      expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['compression', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('a body in %s', async (_, headers) => {
    const answer = await send('{"namingAuthority":"100.102"}', headers);
    expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('and none of it stored anything', async () => {
    expect((await service.client.get('/identifiers')).body).toEqual({ items: [], next: null });
  });
});

describe('POST /api-keys rejects', () => {
  it.each([[[]], [[[]]], [['100.102']], ['100.102'], [7]])('%j as naming authorities', async (grants) => {
    const key = { client: 'a', scopes: ['read'], namingAuthorities: grants };
    const answer = await service.client.post('/api-keys', key);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('input that never becomes a request', () => {
  /** @param until the end of the response, if the connection stays open. */
  const raw = (bytes: string, until?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(service.server.url);
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString();
        if (until !== undefined && answer.includes(until)) socket.destroy();
      });
      socket.on('close', () => {
        resolve(answer);
      });
      socket.on('error', reject);
    });

  it('malformed HTTP returns a problem', async () => {
    const answer = await raw('BROKEN\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"MALFORMED_HTTP"');
  });

  it('a request without Host returns a problem', async () => {
    const answer = await raw('GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"MALFORMED_HTTP"');
  });

  it.each([
    ['without Host', 'GET /health/live HTTP/1.1\r\n\r\n'],
    ['with chunks in HTTP/1.0', chunkedRequest('1.0', 'transfer-encoding: chunked')],
    ['with a coding that is not supported', chunkedRequest('1.1', 'transfer-encoding: gzip, chunked')],
    ['with chunks in chunks', chunkedRequest('1.1', 'Transfer-Encoding: chunked\r\ntransfer-encoding: chunked')],
  ])('a request %s returns one problem and closes the connection (RFC 9112 3.2 and 6.1)', async (_, request) => {
    const answer = await raw(`${request}GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 400']);
    expect(answer).toMatch(/\r\nconnection: close\r\n[^]*"code":"MALFORMED_HTTP"/i);
  });

  it('chunks in a coding of other case are read', async () => {
    const answer = await raw(`${chunkedRequest('1.1', 'transfer-encoding: Chunked')}BROKEN\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('an unknown expectation is ignored (RFC 9110 10.1.1)', async () => {
    const answer = await raw(
      'GET /health/live HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\nconnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a request that does not arrive in time returns a problem', async () => {
    const answer = await raw('POST /identifiers HTTP/1.1\r\nhost: localhost\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
  });

  it('a tunnel is rejected with a problem', async () => {
    const answer = await raw('CONNECT a.example:443 HTTP/1.1\r\nhost: a.example:443\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('"code":"NOT_FOUND"');
  });

  it('a body that breaks after the response has no second response', async () => {
    const answer = await raw('POST /nowhere HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n');
    expect(answer.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 404']);
  });

  it('the response to malformed HTTP follows that to the request before it', async () => {
    const answer = await raw('GET /health/ready HTTP/1.1\r\nhost: localhost\r\n\r\nBROKEN');
    expect(answer.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('bytes after a request that closes the connection have no response (RFC 9112 9.6)', async () => {
    const request = 'GET ftp://evil.example/x HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
    expect((await raw(request.repeat(40))).match(/HTTP\/1\.1 [0-9]+/g)).toHaveLength(1);
  });

  it('the response to a malformed HEAD has no body (RFC 9110 9.3.2)', async () => {
    const answer = await raw('HEAD /health/live x HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*\r\n\r\n$/);
  });

  it('an upgrade is ignored, and the connection ends with the response', async () => {
    const answer = await raw(
      'GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
  });

  it('a URL of 1 MiB returns a problem, although its end is not read', async () => {
    for (let i = 0; i < 20; i++) {
      const answer = await raw(`GET /${'a'.repeat(1024 * 1024)} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 431 [^]*"code":"HEADERS_TOO_LARGE"/);
    }
  });

  it('a body over the limit returns a problem, although it is sent completely', async () => {
    for (let i = 0; i < 20; i++) {
      const body = 'x'.repeat(8 * 1024 * 1024);
      const head = `POST /identifiers HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n`;
      const answer = await raw(`${head}content-length: ${body.length}\r\n\r\n${body}`, '"BODY_TOO_LARGE"}');
      expect(answer).toContain('"code":"BODY_TOO_LARGE"');
    }
  });

  it('headers over 64 KiB return a problem', async () => {
    const answer = await raw(`GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'a'.repeat(70_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"HEADERS_TOO_LARGE"');
  });
});

describe('unknown paths and methods', () => {
  it('says how a slash inside a local name is sent', async () => {
    for (const path of ['/identifiers/100.102/a/b', '/identifiers/100.102/a/b/history']) {
      expect((await service.client.get(path)).body.detail).toContain('%2F');
    }
    expect((await service.client.get('/nowhere/a/b/c')).body.detail).not.toContain('%2F');
  });

  it.each([
    ['GET', '/nowhere'],
    ['GET', '/docs/%00'],
    ['GET', '/docs/%2e%2e%2fpackage.json'],
    ['GET', '/identifiers/100.102/a/b/c'],
    ['GET', '/problems/NO_SUCH_CODE'],
  ])('%s %s returns 404 with a problem that names the path', async (method, path) => {
    const answer = await service.client.send(method, path, {});
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'NOT_FOUND', type: '/problems/NOT_FOUND', instance: path });
  });
});
