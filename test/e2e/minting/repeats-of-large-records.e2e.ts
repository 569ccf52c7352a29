import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const RUN = randomUUID().slice(0, 8);
const ALTERNATE = `demo:${'a'.repeat(7995)}`;
const NEW = 'https://repo.example.org/new';

/** Records of 64,000 bytes: 300 have more than 16 MiB. */
const RECORDS = 300;
const metadataIds = Array.from({ length: RECORDS }, (_, n) => `info:fedora/large-${RUN}:${n + 1}`);
let identifiers: string[] = [];

beforeAll(async () => {
  const rows = await query<{ guid: string }>(
    service.database.url,
    `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event, alternate_ids, metadata_id, metadata_key)
     SELECT (SELECT id FROM naming_authority WHERE prefix = '${service.na}'), gen_random_uuid(), 'anonymous', 2, true,
       array_fill('${ALTERNATE}'::text, ARRAY[8]), m, encode(substring(sha256(convert_to(m, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid
     FROM unnest(string_to_array('${metadataIds.join(' ')}', ' ')) WITH ORDINALITY AS w(m, n) ORDER BY n RETURNING guid`,
  );
  identifiers = rows.map(({ guid }) => `${service.na}/${guid.replaceAll('-', '').toUpperCase()}`);
});

const bulk = (items: readonly object[], headers: Record<string, string> = {}) =>
  sendLines(
    `${service.server.url}/identifiers/bulk?namingAuthority=${service.na}`,
    items.map((item) => `${JSON.stringify(item)}\n`).join(''),
    headers,
  );
const batch = (items: readonly object[], headers: Record<string, string> = {}) =>
  service.client.post('/identifiers/batch', { namingAuthority: service.na, items }, headers);

/** What a result must have of a record: all of it. */
const shown = ({ status, identifier, record }: any) => [
  status,
  identifier,
  record?.metadataId,
  record?.alternateIds?.filter((text: string) => text === ALTERNATE).length,
];
const expected = (status: number) => identifiers.map((identifier, n) => [status, identifier, metadataIds[n], 8]);
const items = metadataIds.map((metadataId) => ({ metadataId }));

describe('mints that are repeated, of large records', () => {
  it('return each whole record in order: a stream, and its replay', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    expect((await bulk(items, headers)).map(shown)).toEqual(expected(200));
    expect((await bulk(items, headers)).map(shown)).toEqual(expected(200));
  });

  it('return each whole record in order: a batch, and its replay', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await batch(items, headers);
    expect(first.body.items.map(shown)).toEqual(expected(200));
    const again = await batch(items, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.items.map(shown)).toEqual(expected(200));
  });

  it('return each whole record: single requests at once', async () => {
    const all = await Promise.all(
      items.slice(0, 100).map((item) => service.client.mint({ namingAuthority: service.na, ...item })),
    );
    const results = all.map(({ status, body }) => ({ status, identifier: body.identifier, record: body }));
    expect(results.map(shown)).toEqual(expected(200).slice(0, 100));
  });

  it('return the names with return=minimal', async () => {
    const results = await bulk(items, { prefer: 'return=minimal' });
    expect(results.map(({ identifier, record }) => [identifier, record])).toEqual(
      identifiers.map((name) => [name, undefined]),
    );
  });

  it('conflict one by one with "reject", and mint what is new between them', async () => {
    const lines = items.flatMap((item) => [{ ...item, onExisting: 'reject' }, {}]);
    const results = await bulk(lines);
    expect(results.map(({ status }) => status)).toEqual(items.flatMap(() => [409, 201]));
  });
});

describe('imports of names that large records have', () => {
  it.each(['', '?dryRun=true'])('conflict one by one, and do not conflict where they are new: %s', async (query) => {
    const fresh = () => `${service.na}/${randomUUID().replaceAll('-', '').toUpperCase()}`;
    const lines = identifiers.flatMap((identifier) => [{ identifier, target: NEW }, { identifier: fresh() }]);
    const url = `${service.server.url}/identifiers/import${query}`;
    const results = await sendLines(url, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(results.map(({ status, outcome }) => [status, outcome])).toEqual(
      identifiers.flatMap(() => [
        [409, undefined],
        [201, 'imported'],
      ]),
    );
  });
});

describe('updates of large records', () => {
  const updates = metadataIds.map((metadataId) => ({ metadataId, target: NEW, onExisting: 'update' }));

  it('are rejected where a batch updates more than 16 MiB, and nothing is changed', async () => {
    const rejected = await batch(updates);
    expect(coded(rejected)).toEqual([400, 'INVALID_REQUEST']);
    expect(rejected.body.errors).toEqual([
      {
        pointer: '/items',
        detail: expect.stringMatching(/^the existing identifiers .* have 19\d{6} bytes together; at most 16777216 are/),
      },
    ]);
    const { body } = await service.client.get(`/identifiers/${identifiers[0]}`);
    expect([body.target, body.version]).toEqual([null, 1]);
  });

  it('are made by smaller batches and by a stream of any length', async () => {
    const some = await batch(updates.slice(0, 100));
    expect(some.body.items.map(shown)).toEqual(expected(200).slice(0, 100));
    const results = await bulk(updates);
    expect(results.map(shown)).toEqual(expected(200));
    expect(results.map(({ record }) => record.target)).toEqual(items.map(() => NEW));
  });
});
