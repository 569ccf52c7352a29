import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const document = JSON.parse(readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8'));
const operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

describe('a query parameter that an operation does not have', () => {
  it.each(operations)('is 400 for $method $path, and nothing is done', async ({ method, path, operation }) => {
    const [type] = Object.keys(operation.requestBody?.content ?? {});
    const minted = (await service.client.mint()).body;
    const target = path
      .replace('{identifier}', encodeURIComponent(minted.identifier))
      .replace(/\{[^}]+\}/g, service.na);
    // A stream that has begun would be 200.
    const body = type === undefined ? null : '{}';
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const answer = await fetch(`${service.server.url}${target}?limit=1&dry/R~n=true`, { method, headers, body });
    const problem: any = await answer.json();
    expect([answer.status, problem.code]).toEqual([400, 'INVALID_REQUEST']);
    const parameters = problem.errors.map(({ parameter }: any) => parameter);
    expect(parameters.some((parameter: string) => ['dry/R~n', 'limit'].includes(parameter))).toBe(true);
    expect(operation.responses['400']).toBeDefined();
    const { state, version } = (await service.client.get(`/identifiers/${minted.identifier}`)).body;
    expect([state, version]).toEqual(['active', 1]);
  });

  it.each(['/identifiers', '/identifiers/export', '/events', '/naming-authorities'])(
    'is named alone at %s if 14,000 others are sent with it',
    async (path) => {
      const names = Array.from({ length: 14_000 }, (_, i) => i.toString(36));
      const { status, body } = await service.client.get(`${path}?${names.join('&')}`);
      expect([status, body.code, body.errors.length]).toEqual([400, 'INVALID_REQUEST', 1]);
    },
  );

  it('is ignored by the resolver and the API of Handle servers, whose clients send others', async () => {
    const { identifier } = (await service.client.mint({ target: 'https://repo.example.org/1' })).body;
    for (const path of [`/${identifier}?dryRn=true`, `/api/handles/${identifier}?dryRn=true`]) {
      const answer = await fetch(`${service.server.url}${path}`, { redirect: 'manual' });
      await answer.body?.cancel();
      expect(answer.status).toBeLessThan(400);
    }
  });

  it('is ignored by pages and documents', async () => {
    for (const path of ['/?utm_source=x', '/docs?v=1', '/openapi.json?v=1', '/problems?v=1']) {
      const answer = await fetch(`${service.server.url}${path}`);
      await answer.body?.cancel();
      expect(answer.status).toBe(200);
    }
  });
});
