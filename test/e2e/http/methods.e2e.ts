import { METHODS, type IncomingHttpHeaders, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const KEY = 'correct-horse-battery-staple-correct-horse';
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: KEY });
const authorization = `Bearer ${KEY}`;

interface Reply {
  readonly status: number;
  readonly allow: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** `fetch` rejects to send TRACE. */
function send(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(service.server.url + path, { method, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, allow: headers.allow, headers, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Each path of the OpenAPI document with its methods, in upper case. */
async function described(): Promise<[string, string[]][]> {
  const { paths } = (await service.client.get('/openapi.json')).body;
  return Object.entries<object>(paths).map(([path, item]) => [
    path.replace('{identifier}', '100.102%2FF58FB49EB1F848F0A606E84CEF294BE5').replace(/\{[^}]+\}/g, 'x'),
    Object.keys(item).map((method) => method.toUpperCase()),
  ]);
}

describe('a path of the OpenAPI document', () => {
  it('returns 405 with Allow for every method it does not have, with any body and without a key', async () => {
    for (const [path, methods] of await described()) {
      const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort();
      for (const method of METHODS.filter((name) => name !== 'CONNECT' && !allow.includes(name))) {
        const { status, allow: allowed, text } = await send(method, path, { 'content-type': 'text/plain' });
        expect([method, path, status, allowed]).toEqual([method, path, 405, allow.join(', ')]);
        if (method === 'HEAD') expect(text).toBe('');
        else
          expect(JSON.parse(text)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', type: '/problems/METHOD_NOT_ALLOWED' });
      }
    }
  });

  it('returns 204 and Allow for OPTIONS, and permits no page of another origin (RFC 9110 9.3.7)', async () => {
    for (const [path, methods] of await described()) {
      const { status, allow, text } = await send('OPTIONS', path, {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
      });
      expect([status, text]).toEqual([204, '']);
      for (const method of methods) expect(allow?.split(', ')).toContain(method);
    }
    const { headers } = await fetch(`${service.server.url}/identifiers`, { method: 'OPTIONS' });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('returns the headers of GET for HEAD, without the body (RFC 9110 9.3.2)', async () => {
    for (const [path, methods] of await described()) {
      if (!methods.includes('GET')) continue;
      const [head, full] = [await send('HEAD', path, { authorization }), await send('GET', path, { authorization })];
      expect([path, head.status, head.text]).toEqual([path, full.status, '']);
      const comparable = ({ headers }: Reply) => ({
        ...headers,
        ...{ date: '', 'x-request-id': '', ratelimit: '' },
        // The metrics of two scrapes differ, and a stream has no length before its end.
        ...(['/metrics', '/identifiers/export'].includes(path) && { 'content-length': '' }),
      });
      expect([path, comparable(head)]).toEqual([path, comparable(full)]);
    }
  });
});

describe('a method that a path does not have', () => {
  it('is rejected before the body is read', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await send('PUT', '/identifiers', headers, '{"half":')).status).toBe(405);
  });

  it('is rejected in every form of the identifier', async () => {
    for (const path of ['/identifiers/100.102/x', '/identifiers/hdl%3A1%2F2']) {
      expect((await send('DELETE', path)).allow).toBe('GET, HEAD, OPTIONS, PATCH');
    }
    expect((await send('DELETE', '/identifiers/100.102/x/uris')).allow).toBe('GET, HEAD, OPTIONS');
    expect((await send('GET', '/identifiers/100.102/x/withdraw')).allow).toBe('OPTIONS, POST');
  });

  it.each(['TRACE', 'OPTIONS', 'DELETE', 'PROPFIND'])('%s of a path that is not known stays 404', async (method) => {
    expect((await send(method, '/nowhere')).status).toBe(404);
  });

  it('echoes nothing of the request to TRACE', async () => {
    const { text } = await send('TRACE', '/identifiers', { authorization, 'x-secret': 'hush' });
    expect(text).not.toMatch(new RegExp(`hush|${KEY}`));
  });
});

describe('a DELETE with content (RFC 9110 9.3.5)', () => {
  it.each([
    ['application/json', '{'],
    ['application/json', '{"a":1,"a":2}'],
    ['application/json', `"${'x'.repeat(17_000_000)}"`],
    ['application/merge-patch+json', '{}'],
    ['application/x-ndjson', '{}'],
    ['text/plain', 'x'],
    ['nothing', ''],
  ])('of %s has the same response as one without', async (type, body) => {
    const headers = { authorization, 'content-type': type, 'content-length': String(body.length) };
    const { status, text } = await send('DELETE', '/api-keys/x', headers, body);
    expect([status, JSON.parse(text).code]).toEqual([404, 'API_KEY_NOT_FOUND']);
    const created = await service.client.post(
      '/api-keys',
      { client: 'repository', namingAuthorities: null, scopes: ['read'] },
      { authorization },
    );
    const path = `/api-keys/${created.body.id}`;
    expect((await send('DELETE', path, headers, body)).status).toBe(204);
  });
});
