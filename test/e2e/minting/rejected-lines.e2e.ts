import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { PATH, withServer } from '../harness/bulk.js';
import { SERVER_URL, query } from '../harness/database.js';
import { freshMetadataId } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useService();

const linesOf = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** The transactions of a database since it was created. */
async function transactionsIn(url: string): Promise<number> {
  const sql = 'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = $1';
  const [row] = await query<{ n: number }>(SERVER_URL, sql, [new URL(url).pathname.slice(1)]);
  return row!.n;
}

it('rejects 1,000 lines with fewer than 200 statements, with an Idempotency-Key', async () => {
  let url = '';
  await withServer(async (server, database) => {
    ({ url } = database);
    const items = Array.from({ length: 1000 }, () => ({ namingAuthority: '100.999' }));
    const lines = await sendLines(server.url + PATH, linesOf(items), { 'idempotency-key': randomUUID() });
    expect(lines.map(({ problem }) => problem.code)).toEqual(Array(1000).fill('UNKNOWN_NAMING_AUTHORITY'));
    await server.stop();
    // Sessions report their transactions when they end.
    await pause(300);
  });
  expect(await transactionsIn(url)).toBeLessThan(200);
}, 30_000);

it('a line that would be rejected now has the result that it had before', async () => {
  const prefix = '100.777';
  const created = await service.client.post('/naming-authorities', { namingAuthority: prefix });
  expect(created.status).toBe(201);
  const metadataId = freshMetadataId();
  const minted = await service.client.mint({ namingAuthority: prefix, metadataId });
  const send = (items: readonly object[]) =>
    sendLines(service.server.url + PATH, linesOf(items), { 'idempotency-key': 'rejected-lines' });
  const items = [
    {},
    { mintMetadataId: true },
    { metadataId },
    { metadataId, onExisting: 'reject' },
    { leaseUntil: '2020-01-01T00:00:00Z' },
  ].map((item) => ({ namingAuthority: prefix, ...item }));
  const first = await send(items);
  expect(first.map(({ status }) => status)).toEqual([201, 201, 200, 409, 400]);
  expect(first[2].identifier).toBe(minted.body.identifier);
  const suspended = await service.client.send(
    'PATCH',
    `/naming-authorities/${prefix}`,
    { 'content-type': 'application/json', 'if-match': '*' },
    '{"state":"suspended"}',
  );
  expect(suspended.status).toBe(200);
  const again = await send(items);
  expect(again.slice(0, 4)).toEqual(first.slice(0, 4));
  expect(again[4].problem.code).toBe('INVALID_REQUEST');
  const others = await send(items.map((item) => ({ ...item, target: 'https://repo.example.org/other' })));
  expect(others.map(({ problem }) => problem.code)).toEqual([
    ...['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED'],
    'INVALID_REQUEST',
  ]);
});
