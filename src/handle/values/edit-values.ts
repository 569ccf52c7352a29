import { isDeepStrictEqual } from 'node:util';
import type { StoredValue } from '../../registry/stored-value.js';
import { HandleFault, RESPONSE_CODE, indexConflict, invalidInput } from './handle-fault.js';
import { requireStorableSize } from './parse-values.js';
import { type StoredValueSource, isAdmin, isMetadataId, storedOf } from './record-values.js';
import { isUrl, targetIn } from './url-target.js';

/** Values to write. They replace all values of a record if `indexes` is null; otherwise `indexes` lists their indexes or is `various`. */
export interface ValuesToPut {
  readonly values: readonly StoredValue[];
  readonly indexes: readonly number[] | 'various' | null;
  /** If false, the write fails if a value with one of the indexes exists, or if `indexes` is null and the Handle exists. */
  readonly overwrite: boolean;
}

export interface EditedValues {
  /** The values to store, in the order of their indexes. */
  readonly values: readonly StoredValue[];
  readonly target: string | null;
  readonly isChanged: boolean;
  readonly removesMetadataId: boolean;
}

/**
 * The values of a record after a write. The metadata ID is kept unless the write has a METADATA_ID value.
 * @throws HandleFault code 4, or 201 for an existing value without `overwrite`
 */
export function putValues(record: StoredValueSource, { values, indexes, overwrite }: ValuesToPut): EditedValues {
  const before = storedOf(record);
  const times = new Map(before.map((value) => [value.index, value]));
  const written = values.map((value) => {
    const same = times.get(value.index);
    return same !== undefined && isDeepStrictEqual({ ...same, timestamp: '' }, { ...value, timestamp: '' })
      ? same
      : value;
  });
  const replaced = new Set(values.map(({ index }) => index));
  if (indexes === null) {
    const metadata = before.filter((value) => isMetadataId(value) && !replaced.has(value.index));
    return edited(record, before, [...written, ...(values.some(isMetadataId) ? [] : metadata)], false);
  }
  if (indexes !== 'various' && !isDeepStrictEqual(new Set(indexes), replaced))
    throw invalidInput('the indexes in the query must be those of the values');
  const conflict = overwrite ? undefined : values.find(({ index }) => times.has(index));
  if (conflict !== undefined) throw indexConflict(conflict.index);
  const setsMetadata = values.some(isMetadataId);
  const remaining = before.filter((value) => !replaced.has(value.index) && !(setsMetadata && isMetadataId(value)));
  return edited(record, before, [...remaining, ...written], false);
}

/** The values of a record without those at the given indexes. @throws HandleFault code 200 if the record has no value at an index */
export function withoutValues(record: StoredValueSource, indexes: readonly number[]): EditedValues {
  const before = storedOf(record);
  const removed = new Set(indexes);
  const found = before.filter(({ index }) => removed.has(index));
  if (found.length < removed.size) throw new HandleFault(RESPONSE_CODE.valueNotFound);
  const remaining = before.filter(({ index }) => !removed.has(index));
  return edited(record, before, remaining, found.some(isMetadataId));
}

function edited(
  record: StoredValueSource,
  before: readonly StoredValue[],
  all: readonly StoredValue[],
  removesMetadataId: boolean,
): EditedValues {
  if (all.filter(isMetadataId).length > 1) throw invalidInput('a record has one METADATA_ID value');
  const values = storable(record, before, all);
  requireStorableSize(values);
  const isChanged = !isDeepStrictEqual(values, storable(record, before, before));
  return { values, target: targetIn(values) ?? null, isChanged, removesMetadataId };
}

/** The values to store: `all` without computed HS_ADMIN and METADATA_ID values, in the order of their indexes. */
function storable(
  { handleValues }: StoredValueSource,
  before: readonly StoredValue[],
  all: readonly StoredValue[],
): readonly StoredValue[] {
  const stored = handleValues ?? [];
  const computed = new Set(
    before.filter(
      (value) => (isAdmin(value) && !stored.some(isAdmin)) || (isMetadataId(value) && !stored.some(isMetadataId)),
    ),
  );
  return all.filter((value) => !computed.has(value)).sort((one, other) => one.index - other.index);
}

/** Checks values under a naming authority that stores none. Ignores computed HS_ADMIN values. @throws HandleFault code 4 */
export function requireComputable(values: readonly StoredValue[], prefix: string): void {
  const others = values.filter((value) => !isAdmin(value) && !isMetadataId(value) && !isUrl(value));
  const urls = values.filter(isUrl);
  const [other] = others;
  const hint = `the naming authority ${prefix} was created without "storesHandleValues": true`;
  if (other !== undefined) throw invalidInput(`a value of the type ${other.type} cannot be stored: ${hint}`);
  if (urls.length > 1) throw invalidInput(`a second URL value cannot be stored: ${hint}`);
  if (urls.length === 1 && targetIn(urls) === null)
    throw invalidInput(`a URL value must be an http or https URL: ${hint}`);
}
