import { arrayOf, arrayOfDigests, linesOf } from '../array-parameter.js';
import { type Digest, bytea } from '../../registry/digest.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';

export type Column<T = NewIdentifier> = readonly [
  name: string,
  type: string,
  value: (item: T) => string | number | null,
];

type Typed = readonly [name: string, type: string, ...rest: unknown[]];

export const COLUMNS: readonly Column[] = [
  ['naming_authority', 'text', ({ authority }) => authority.prefix],
  ['authority_version', 'int', ({ authority }) => authority.version],
  ['guid', 'uuid', ({ address }) => address.guid],
  ['local_name', 'text', ({ address, localName }) => (address.guid === null ? localName : null)],
  ['local_key', 'bytea', ({ address }) => address.localKey],
  ['metadata_id', 'text', ({ metadata }) => metadata?.canonical ?? null],
  ['metadata_key', 'bytea', ({ metadata }) => metadata?.key ?? null],
  ['target', 'text', ({ target }) => target],
  [
    'alternate_ids',
    'text',
    ({ alternates }) => (alternates.length === 0 ? null : JSON.stringify(alternates.map(({ canonical }) => canonical))),
  ],
  ['lease_until', 'timestamptz', ({ leaseUntil }) => leaseUntil?.toISOString() ?? null],
  ['reservation', 'uuid', ({ reservation }) => reservation ?? null],
  ['client', 'text', ({ actor }) => actor.client],
  ['key_id', 'text', ({ actor }) => actor.keyId],
  ['request_key', 'text', ({ request }) => request?.key ?? null],
  ['request_index', 'int', ({ request }) => request?.index ?? null],
  ['request_hash', 'bytea', ({ request }) => request?.fingerprint ?? null],
  ['own_key', 'bytea', ({ selfKey }) => selfKey],
  ['kind', 'text', ({ kind }) => kind],
  ['patch', 'json', ({ patch }) => JSON.stringify(patch)],
];

export const OBJECT_COLUMNS_SQL = `naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, reservation, client, request_key, request_index, request_hash`;

export const OBJECT_VALUES_SQL = `naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NULL THEN '{}' ELSE ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           CASE WHEN request_key IS NOT NULL THEN client END, request_key, request_index, request_hash`;

/** `unnest($from::int[], …) AS alias(ordinal, …)`: rows from one array a column, as `columnValues` gives them. */
export function rowsOf(alias: string, from: number, columns: readonly Typed[]): string {
  const all = [['ordinal', 'int'] as const, ...columns];
  const arrays = all
    .map(([, type], index) =>
      type === 'json' ? `string_to_array($${from + index}, E'\\n')` : `$${from + index}::${type}[]`,
    )
    .join(', ');
  return `unnest(${arrays}) AS ${alias}(${all.map(([name]) => name).join(', ')})`;
}

/** `(SELECT $1::text AS naming_authority, …) AS alias`: the one row of parameters that `rowValues` gives. */
export function rowOf(alias: string, columns: readonly Typed[]): string {
  const values = columns.map(([name, type], index) => `$${index + 1}::${type === 'json' ? 'text' : type} AS ${name}`);
  return `(SELECT ${values.join(', ')}) AS ${alias}`;
}

export function arrayParameter(column: string): string {
  return `$${COLUMNS.findIndex(([name]) => name === column) + 2}`;
}

export function columnValues<T>(columns: readonly Column<T>[], items: readonly T[]): (string | null)[] {
  return columns.map(([, type, value]) => {
    const values = items.map(value);
    if (type === 'json') return linesOf(values as string[]);
    return type === 'bytea' ? arrayOfDigests(values as (Digest | null)[]) : arrayOf(values);
  });
}

export function rowValues<T>(columns: readonly Column<T>[], item: T): (string | number | null)[] {
  return columns.map(([, type, value]) => {
    const cell = value(item);
    return type === 'bytea' && cell !== null ? bytea(cell as Digest) : cell;
  });
}
