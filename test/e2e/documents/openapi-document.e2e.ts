import { readFileSync } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { useService } from '../harness/service.js';

const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: 'correct-horse-battery-staple-correct-horse' });
const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

describe('the OpenAPI document', () => {
  it('is served as JSON and as YAML, equal to the committed one', async () => {
    const [json, yaml] = await Promise.all(
      ['json', 'yaml'].map((type) => fetch(`${service.server.url}/openapi.${type}`)),
    );
    const types = [json, yaml].map((answer) => answer!.headers.get('content-type'));
    // RFC 9512 2.1
    expect(types).toEqual(['application/json; charset=utf-8', 'application/yaml; charset=utf-8']);
    const document = JSON.parse(await json!.text());
    expect(document).toEqual(JSON.parse(read('openapi/openapi.json')));
    const text = await yaml!.text();
    expect(text).toBe(read('openapi/openapi.yaml'));
    expect(parse(text)).toEqual(document);
    const { version } = JSON.parse(read('package.json'));
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', version]);
  });

  it('says of every operation whether it needs a key, and the service rejects it without one only then', async () => {
    const { paths } = (await service.client.get('/openapi.json')).body;
    const rejected: string[] = [];
    const described: string[] = [];
    for (const [path, operations] of Object.entries<Record<string, any>>(paths)) {
      for (const [method, { security, requestBody }] of Object.entries(operations)) {
        const title = `${method.toUpperCase()} ${path}`;
        if (security.length === 1) described.push(title);
        const [type] = Object.keys(requestBody?.content ?? {});
        const headers = type === undefined ? {} : { 'content-type': type };
        const target = path.replace('{identifier}', '100.102%2F7').replace(/\{[^}]+\}/g, '100.102');
        const url = service.server.url + target;
        const answer = await fetch(url, {
          method: method.toUpperCase(),
          headers,
          body: type === undefined ? null : '{}',
        });
        await answer.body?.cancel();
        if (answer.status === 401) rejected.push(title);
      }
    }
    expect(rejected).toEqual(described);
    expect(rejected).toEqual(expect.arrayContaining(['POST /identifiers', 'GET /api-keys', 'GET /metrics']));
    expect(rejected).not.toEqual(expect.arrayContaining(['GET /identifiers']));
  });

  it('describes every member of every schema', async () => {
    const { schemas } = (await service.client.get('/openapi.json')).body.components;
    const silent = Object.entries<any>(schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries<any>(properties).flatMap(([name, { description }]) => (description ? [] : `${schema}.${name}`)),
    );
    expect(silent).toEqual([]);
  });

  it('has an operation id, a summary, and the codes of the problems with their statuses for every operation', async () => {
    const { paths } = (await service.client.get('/openapi.json')).body;
    const documented = new Set<string>();
    for (const [path, operations] of Object.entries<Record<string, any>>(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const title = `${method} ${path}`;
        expect([title, typeof operation.operationId, typeof operation.summary]).toEqual([title, 'string', 'string']);
        const problems = Object.entries<any>(operation.responses).filter(([status]) => Number(status) >= 400);
        expect(problems.length).toBeGreaterThan(0);
        for (const [status, { description }] of problems) {
          for (const code of description.replaceAll('`', '').split(', ')) documented.add(`${status} ${code}`);
        }
      }
    }
    const pairs = [...documented].map((pair) => pair.split(' ') as [string, string]);
    expect(pairs).toEqual(
      expect.arrayContaining([
        ['409', 'METADATA_ID_TAKEN'],
        ['412', 'PRECONDITION_FAILED'],
      ]),
    );
    for (const [status, code] of pairs) {
      expect((await service.client.get(`/problems/${code}`)).body).toMatchObject({ code, status: Number(status) });
    }
  });
});

describe('Swagger UI', () => {
  it("is served at /docs from the package's own files, without another host", async () => {
    const page = await (await fetch(`${service.server.url}/docs`)).text();
    const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      expect(source).not.toMatch(/^(https?:)?\/\//);
      expect((await fetch(new URL(source, `${service.server.url}/docs`))).status).toBe(200);
    }
  });
});

describe('the files of Swagger UI', () => {
  /** `fetch` would normalize the path before it sends it, and would not return 304. */
  const ask = (path: string, options: RequestOptions = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(service.server.url, { path, ...options }, (answer) => {
        resolve(answer.resume());
      });
      sent.on('error', reject).end();
    });

  it('are not sent again to clients that have them, and have their length in the response to HEAD', async () => {
    const { headers } = await ask('/docs/swagger-ui.css');
    const again = await ask('/docs/swagger-ui.css', { headers: { 'if-none-match': headers.etag } });
    expect([again.statusCode, again.headers['content-type']]).toEqual([304, undefined]);
    const head = await ask('/docs/swagger-ui.css', { method: 'HEAD' });
    expect(Number(headers['content-length'])).toBeGreaterThan(10_000);
    expect(head.headers['content-length']).toBe(headers['content-length']);
  });

  it('have the documented Cache-Control, and one entity tag for one content', async () => {
    const tags = new Map<string, string>();
    for (const path of [
      '/openapi.json',
      '/openapi.yaml',
      '/docs',
      '/docs/swagger-ui-bundle.js',
      '/docs/swagger-ui-init.js',
    ]) {
      const [first, second] = [await ask(path), await ask(`${path}?again`)];
      expect([path, first.statusCode, first.headers['cache-control']]).toEqual([path, 200, 'public, max-age=600']);
      expect(second.headers.etag).toBe(first.headers.etag);
      tags.set(first.headers.etag!, path);
      const known = await ask(path, { headers: { 'if-none-match': `"other", W/${first.headers.etag!}` } });
      expect([path, known.statusCode, known.headers.etag]).toEqual([path, 304, first.headers.etag]);
      const changed = await ask(path, { headers: { 'if-none-match': '"other"' } });
      expect([path, changed.statusCode]).toEqual([path, 200]);
      const head = await ask(path, { method: 'HEAD', headers: { 'if-none-match': first.headers.etag } });
      expect([path, head.statusCode, head.headers['content-length']]).toEqual([path, 304, undefined]);
    }
    expect(tags.size).toBe(5);
  });

  it('are all there is: a path that leads upwards, or to no file, is not found', async () => {
    for (const path of [
      '/docs/../openapi.json',
      '/docs/%2e%2e/openapi.json',
      '/docs/..%2fpackage.json',
      '/docs/none',
    ]) {
      expect([path, (await ask(path)).statusCode]).toEqual([path, 404]);
    }
  });
});

describe('GET /problems/{code}', () => {
  it('is where the type of a problem leads', async () => {
    const { body } = await service.client.get('/nowhere');
    const described = await service.client.get(body.type);
    expect(described.body).toEqual({ code: 'NOT_FOUND', status: 404, title: body.title });
    expect((await service.client.get('/problems/NO_SUCH_CODE')).status).toBe(404);
  });
});
