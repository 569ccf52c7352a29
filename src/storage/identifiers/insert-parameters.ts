import { TEXTS } from '../../registry/members.js';
import type { Digest } from '../../registry/uuid.js';
import { type Address, profileOf } from '../../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { arrayOf, linesOf } from '../statement.js';

/** A parameter of a statement: its name, type, and value for an item. The type `json` means JSON texts, one per line. */
export type Parameter<T = NewIdentifier> = readonly [
  name: string,
  type: string,
  value: (item: T) => string | number | null,
];

/** The last parameter is the key of a name from the request; `INSERT_ONE` omits it. */
export const IDENTIFIER_PARAMETERS: readonly Parameter[] = [
  ['naming_authority', 'text', ({ authority }) => authority.prefix],
  ['authority_version', 'int', ({ authority }) => authority.version],
  ['guid', 'uuid', ({ address }) => address.guid],
  ['local_name', 'text', ({ address, localName }) => (address.guid === null ? localName : null)],
  ['local_key', 'uuid', ({ address }) => address.localKey],
  ['metadata_id', 'text', ({ metadata }) => metadata?.canonical ?? null],
  ['metadata_key', 'uuid', ({ metadata }) => metadata?.key ?? null],
  ...TEXTS.map(({ name, columns: [column] }): Parameter => [column, 'text', (item) => item[name]]),
  [
    'alternate_ids',
    'text',
    ({ alternates }) => (alternates.length === 0 ? null : JSON.stringify(alternates.map(({ canonical }) => canonical))),
  ],
  ['lease_until', 'timestamptz', ({ leaseUntil }) => leaseUntil?.toISOString() ?? null],
  ['reservation', 'uuid', ({ reservation }) => reservation ?? null],
  ['client', 'text', ({ actor }) => actor.client],
  ['key_id', 'uuid', ({ actor }) => actor.keyId],
  ['request_key', 'text', ({ request }) => request?.key ?? null],
  ['request_index', 'int', ({ request }) => request?.index ?? null],
  ['request_hash', 'uuid', ({ request }) => request?.fingerprint ?? null],
  ['own_key', 'uuid', ({ selfKey }) => selfKey],
];

export const ORDINAL: Parameter<{ readonly ordinal: number }> = ['ordinal', 'int', ({ ordinal }) => ordinal];

/** Properties that few new identifiers have: a metadata record, Handle values and a previous version. */
export const RARE_PARAMETERS: readonly Parameter[] = [
  ['record_guid', 'uuid', ({ metadataRecord }) => metadataRecord?.address.guid ?? null],
  [
    'record_name',
    'text',
    ({ metadataRecord }) => (metadataRecord?.address.guid === null ? metadataRecord.localName : null),
  ],
  ['record_key', 'uuid', ({ metadataRecord }) => metadataRecord?.address.localKey ?? null],
  ['record_target', 'text', ({ metadataRecord }) => metadataRecord?.target ?? null],
  ['handle_values', 'text', ({ handleValues }) => (handleValues === undefined ? null : JSON.stringify(handleValues))],
  ['previous_version', 'text', ({ previousVersion }) => previousVersion?.canonical ?? null],
  ['previous_version_key', 'uuid', ({ previousVersion }) => previousVersion?.key ?? null],
];

interface Alternate {
  readonly ordinal: number;
  readonly key: Digest;
  readonly claim: Address | null;
}

/** Alternates, each with the naming authority and the name that the alternate claims. */
export const ALTERNATE_PARAMETERS: readonly Parameter<Alternate>[] = [
  ['alternate_ordinal', 'int', ({ ordinal }) => ordinal],
  ['alternate_key', 'uuid', ({ key }) => key],
  ['claim_prefix', 'text', ({ claim }) => claim?.namingAuthority ?? null],
  ['claim_name', 'uuid', ({ claim }) => claim?.guid ?? claim?.localKey ?? null],
  ['claim_profile', 'text', ({ claim }) => claim && profileOf(claim)],
];

export function alternatesOf(items: readonly NewIdentifier[]): Alternate[] {
  return items.flatMap((item, ordinal) =>
    item.alternates.map(({ key, here }) => ({ ordinal, key, claim: here?.address ?? null })),
  );
}

/** Returns one array per parameter, with the values of all items. */
export function valuesOf<T>(parameters: readonly Parameter<T>[], items: readonly T[]): (string | null)[] {
  return parameters.map(([, type, value]) => {
    const values = items.map(value);
    return type === 'json' ? linesOf(values as string[]) : arrayOf(values);
  });
}

/** Maps names of parameters to their text in a statement; they are numbered in order. */
export function numbered(
  parameters: readonly (readonly [name: string, type: string, ...unknown[]])[],
  isArray = true,
): (name: string) => string {
  const texts = new Map(
    parameters.map(([name, type], index) => {
      const number = `$${index + 1}`;
      return [
        name,
        type === 'json' ? `string_to_array(${number}, chr(10))` : `${number}::${type}${isArray ? '[]' : ''}`,
      ];
    }),
  );
  return (name) => {
    const text = texts.get(name);
    if (text === undefined) throw new TypeError(`the statement has no parameter ${name}`);
    return text;
  };
}
