import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { useService } from './harness/service.js';

const service = useService();
const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('README.md', () => {
  it('has a curl example that mints', () => {
    const [, example = ''] = /```sh\n(curl [\s\S]*?)```/.exec(read('README.md')) ?? [];
    expect(example).toContain('localhost:3000');
    const { port } = new URL(service.server.url);
    const script = example.replaceAll('localhost:3000', `127.0.0.1:${port}`).replace(/^curl/gm, 'curl -sS');
    const ran = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(ran.stderr).toBe('');
    expect(JSON.parse(ran.stdout)).toMatchObject({
      namingAuthority: '100.102',
      metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
      target: 'https://repo.example.org/objects/7',
    });
  });
});

describe('the OpenAPI document', () => {
  it('is served as JSON and as YAML, equal to the committed one', async () => {
    const committed = JSON.parse(read('openapi/openapi.json'));
    expect((await service.client.get('/openapi.json')).body).toEqual(committed);
    const yaml = await fetch(`${service.server.url}/openapi.yaml`);
    expect(parse(await yaml.text())).toEqual(committed);
    expect(parse(read('openapi/openapi.yaml'))).toEqual(committed);
  });

  it('describes every member of every schema', async () => {
    const { schemas } = (await service.client.get('/openapi.json')).body.components;
    const silent = Object.entries<any>(schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries<any>(properties).flatMap(([name, { description }]) => (description ? [] : `${schema}.${name}`)),
    );
    expect(silent).toEqual([]);
  });

  it('has an operation id, an example or a schema with examples, and a problem for every operation', async () => {
    const { paths } = (await service.client.get('/openapi.json')).body;
    for (const [path, operations] of Object.entries<Record<string, any>>(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const title = `${method} ${path}`;
        expect([title, typeof operation.operationId, typeof operation.summary]).toEqual([title, 'string', 'string']);
        const problems = Object.entries<any>(operation.responses).filter(([status]) => Number(status) >= 400);
        expect(problems.length).toBeGreaterThan(0);
        for (const [status, { content }] of problems) {
          const { examples } = content['application/problem+json'];
          for (const [code, { value }] of Object.entries<any>(examples)) {
            expect([code, value.status]).toEqual([value.code, Number(status)]);
          }
        }
      }
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
  /** `fetch` would follow a path upwards before it sends it, and let no answer be 304. */
  const ask = (path: string, options: RequestOptions = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(service.server.url, { path, ...options }, (answer) => {
        resolve(answer.resume());
      });
      sent.on('error', reject).end();
    });

  it('are not sent again to who has them, and have their length in the answer to HEAD', async () => {
    const { headers } = await ask('/docs/swagger-ui.css');
    const again = await ask('/docs/swagger-ui.css', { headers: { 'if-none-match': headers.etag } });
    expect([again.statusCode, again.headers['content-type']]).toEqual([304, undefined]);
    const head = await ask('/docs/swagger-ui.css', { method: 'HEAD' });
    expect(head.headers['content-length']).toBe(headers['content-length']);
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
  });
});
