import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, operationsOf } from '../../../scripts/openapi/document.js';
import { useService } from '../harness/service.js';

const service = useService();
const document = JSON.parse(
  readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8'),
) as Document;

const examples = operationsOf(document).flatMap(({ path, method, operation }) =>
  Object.entries(operation.requestBody?.content ?? {}).map(([type, { example }]) => ({
    title: `${operation.operationId} as ${type}`,
    ...{ path, method, type, example },
  })),
);

async function send(path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = { method, headers: { 'content-type': 'application/json', ...headers }, body: text };
  return fetch(`${service.server.url}${path}`, sent);
}

/** What the path of an operation names: an identifier in the state that the operation starts from, or a reservation. */
async function subjectOf(path: string): Promise<string> {
  const minting = { namingAuthority: '100.102', ...(path.endsWith('}/activate') && RESERVED) };
  if (path.startsWith('/reservations/')) {
    const { id } = (await (await send('/reservations', { ...RESERVED_GROUP })).json()) as { id: string };
    return id;
  }
  if (path.startsWith('/naming-authorities/')) return '100.102';
  const { identifier } = (await (await send('/identifiers', minting)).json()) as { identifier: string };
  return identifier;
}

const RESERVED = { state: 'reserved', leaseUntil: '2126-11-20T09:30:00Z' };
const IMPORTED = examples.find(({ title }) => title === 'importIdentifiers as text/csv')?.example;
const RESERVED_GROUP = { namingAuthority: '100.102', count: 2, leaseUntil: '2126-11-20T09:30:00Z' };

describe('the examples of request bodies', () => {
  beforeAll(async () => {
    expect(examples.length).toBeGreaterThan(10);
    // The bulk change and the import name this identifier.
    const { status } = await send('/identifiers/import', IMPORTED, { 'content-type': 'text/csv' });
    expect(status).toBe(200);
  });

  it.each(examples)('succeeds: $title', async ({ path, method, type, example }) => {
    const target = path.includes('{') ? path.replace(/\{\w+\}/, await subjectOf(path)) : path;
    const headers = { 'content-type': type, ...(method === 'patch' && { 'if-match': '*' }) };
    const response = await send(target, example, headers, method.toUpperCase());
    const text = await response.text();
    expect([response.status < 300, text]).toEqual([true, text]);
    // The results of items and lines have statuses of their own.
    const statuses = [...text.matchAll(/"status":(\d+)/g)].map(([, status]) => Number(status));
    expect(statuses.filter((status) => status >= 300)).toEqual([]);
  });

  it('suspend nothing: the naming authority still mints', async () => {
    expect((await send('/identifiers', { namingAuthority: '100.102' })).status).toBe(201);
  });
});
