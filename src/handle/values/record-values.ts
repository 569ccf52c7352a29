import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { type StoredValue, isSecret } from '../../registry/stored-value.js';
import { type ValueSource, computedValues } from './computed-values.js';
import { isPublicUrl } from './url-target.js';
import { timeText } from './value-json.js';

export type StoredValueSource = ValueSource & Pick<IdentifierRecord, 'handleValues'>;

/**
 * The stored values of a record, and the computed values of the types without a stored value (for URL, without a public one), in the
 * order of their indexes. The result includes secret keys.
 */
export function storedOf(record: StoredValueSource): readonly StoredValue[] {
  const { metadataId, handleValues } = record;
  const computed = computedValues(record);
  if (handleValues === null) return computed;
  const values = handleValues.flatMap((value) => {
    if (!isMetadataId(value)) return value;
    return metadataId === null ? [] : { ...value, data: { format: 'string', value: metadataId } };
  });
  for (const isOfType of [isPublicUrl, isAdmin, isMetadataId]) {
    if (!values.some(isOfType)) add(values, computed.find(isOfType));
  }
  return values.sort((one, other) => one.index - other.index);
}

/** The values of a record without secret keys. The caller removes the values that the principal may not read (`isShown`). */
export function valuesOf(record: StoredValueSource): readonly StoredValue[] {
  return storedOf(record).filter((value) => !isSecret(value));
}

export function isMetadataId({ type }: Pick<StoredValue, 'type'>): boolean {
  return type.toUpperCase() === 'METADATA_ID';
}

export function isAdmin({ type }: Pick<StoredValue, 'type'>): boolean {
  return type.toUpperCase() === 'HS_ADMIN';
}

function add(values: StoredValue[], computed: StoredValue | undefined): void {
  if (computed === undefined) return;
  const used = new Set(values.map(({ index }) => index));
  let { index } = computed;
  while (used.has(index)) index++;
  values.push({ ...computed, index });
}

/** Stored values after a change of the metadata ID: a stored METADATA_ID value gets the new text, or is removed for null. */
export function withMetadataId(
  values: readonly StoredValue[],
  metadataId: string | null,
  now: Date,
): readonly StoredValue[] {
  if (metadataId === null) return values.filter((value) => !isMetadataId(value));
  const data = { format: 'string', value: metadataId };
  return values.map((value) => (isMetadataId(value) ? { ...value, data, timestamp: timeText(now) } : value));
}

/** The values that a request selects: those with one of the types or one of the indexes; all if both are empty. */
export interface ValueSelection {
  /** Case-insensitive; `a.` selects the type `a` and all types that begin with `a.`. */
  readonly types: readonly string[];
  readonly indexes: readonly number[];
}

export function selectValues(values: readonly StoredValue[], selection: ValueSelection): readonly StoredValue[] {
  if (selection.types.length === 0 && selection.indexes.length === 0) return values;
  const indexes = new Set(selection.indexes);
  const types = new Set(selection.types.map((type) => type.toLowerCase()));
  return values.filter(({ index, type }) => indexes.has(index) || isOneOf(type.toLowerCase(), types));
}

function isOneOf(type: string, types: ReadonlySet<string>): boolean {
  if (types.has(type) || types.has(`${type}.`)) return true;
  for (let dot = type.indexOf('.'); dot >= 0; dot = type.indexOf('.', dot + 1)) {
    if (types.has(type.slice(0, dot + 1))) return true;
  }
  return false;
}
