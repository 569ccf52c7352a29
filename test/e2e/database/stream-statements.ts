/** The statements of the 20th chunk of streams with an Idempotency-Key, for tests that count what they read. */
import type pg from 'pg';
import { digestOf } from '../../../dist/registry/uuid.js';
import { IdempotentRequests } from '../../../dist/storage/idempotency.js';
import { insertQuery } from '../../../dist/storage/identifiers/insert-statement.js';
import { conflicts, item, many, results } from './statements.js';

const BULK = { client: 'anonymous', key: 'bulk-of-20' };
const CHANGES = { client: 'anonymous', key: 'changes-of-20', fingerprint: digestOf('changes') };

/** Rows that the statements of a chunk of 500 lines may read; the earlier chunks have 9,500. */
const MOST = 2000;

/**
 * The first 19 chunks, as the service stores them. Of a bulk load: 500 lines each, of which every tenth minted nothing and has a
 * stored result. Of a stream of changes: a stored result each.
 */
export async function loadStreams(client: pg.Client): Promise<void> {
  await client.query(
    `INSERT INTO identifier (naming_authority_id, guid, client, request_key, request_index, request_hash, position, is_first_event)
     SELECT (SELECT id FROM naming_authority WHERE prefix = '100.102'), gen_random_uuid(), $1, $2, 2 * n, gen_random_uuid(),
            pg_current_xact_id()::text::bigint, true
     FROM generate_series(1, 9500) n WHERE n % 10 > 0`,
    [BULK.client, BULK.key],
  );
  await client.query(
    `INSERT INTO request_part (client, key, place, places, outcomes)
     SELECT $1, $2, min(place), array_agg(place ORDER BY place), '[' || string_agg('{"hash":""}', ',') || ']'
     FROM generate_series(20, 19000, 20) place GROUP BY (place - 1) / 1000, place >> 10`,
    [BULK.client, BULK.key],
  );
  await client.query('INSERT INTO request (client, key, hash, outcome) VALUES ($1, $2, $3, $4)', [
    CHANGES.client,
    CHANGES.key,
    CHANGES.fingerprint,
    '{}',
  ]);
  // And those of others, because a small table is read whole.
  await client.query(
    `INSERT INTO request_part (client, key, place, places, outcomes)
     SELECT $1, $2, line, ARRAY[line], '[{"line":1}]' FROM generate_series(1, 1801, 100) line
     UNION ALL SELECT $1, 'changes-' || n, 1, '{1}', '[]' FROM generate_series(1, 5000) n`,
    [CHANGES.client, CHANGES.key],
  );
}

/** Line 9,501 and those after it. */
const requestOf = (n: number) => ({ key: BULK.key, index: 2 * (9501 + n) });
const keyed = (n: number) => ({ ...BULK, ...requestOf(n), fingerprint: digestOf(`line-${n}`) });

const withMetadataRecord = (n: number) => {
  const guid = digestOf(`metadata-${n}`);
  const metadataRecord = { address: { namingAuthority: '100.102', guid, localKey: null }, localName: 'x' };
  return { ...(item(`pair-${n}`, requestOf(n)) as object), metadataRecord };
};

export const STREAM_STATEMENTS: [string, number, (on: pg.Client) => Promise<unknown>][] = [
  [
    'the 20th chunk of a key: mints',
    MOST,
    (on) => on.query(insertQuery(many(500, (n) => item(`bulk-${n}`, requestOf(n))))),
  ],
  [
    'the 20th chunk of a key: mints with alternates and previous versions',
    2 * MOST,
    (on) => {
      const more = (n: number) => ({ alternate: `bulk:${n}`, previousVersion: `100.102/${'0'.repeat(28)}${1000 + n}` });
      return on.query(insertQuery(many(500, (n) => item(`bulk-${n}`, requestOf(n), more(n)))));
    },
  ],
  [
    'the 20th chunk of a key: mints with metadata records',
    2 * MOST,
    (on) => on.query(insertQuery(many(500, withMetadataRecord))),
  ],
  [
    'the 20th chunk of a key: what is in the way',
    MOST,
    (on) => conflicts(on).find(many(500, (n) => item(`bulk-${n}`, requestOf(n)))),
  ],
  ['the 20th chunk of a key: how it is used', MOST, (on) => results(on).find(many(500, keyed))],
  [
    'the 20th chunk of a key: storing its results',
    MOST,
    (on) => results(on).store(many(500, (n) => ({ mint: keyed(n), result: {}, found: null }))),
  ],
  ['the 20th chunk of changes', 200, (on) => changed(on, 19)],
  ['a repeat of the 19th chunk of changes', 200, (on) => changed(on, 18)],
];

const changed = (on: pg.Client, part: number) =>
  new IdempotentRequests({ run: (work: (on: pg.Client) => unknown) => work(on) } as never, results(on)).inStream(
    CHANGES,
    { range: { first: part * 100 + 1, last: part * 100 + 100 }, isFirst: false },
    (_, stored) => Promise.resolve(stored.length === 0 ? [{ line: part * 100 + 1 }] : []),
  );
