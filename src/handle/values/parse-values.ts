import type { StoredValue } from '../../registry/stored-value.js';
import { TIMESTAMP, isKeepable } from '../../registry/timestamp.js';
import { HandleFault, RESPONSE_CODE, indexConflict, invalidInput } from './handle-fault.js';
import { MAX_INDEX, integerIn, isObject, parseData, storableText, textIn } from './parse-data.js';
import { DEFAULT_TTL_SECONDS, PUBLIC_PERMISSIONS, timeText } from './value-json.js';

/** Maximum number of values of a record. Records of data repositories have about 20. */
export const MAX_VALUES = 500;

/** Maximum bytes of the JSON of all values of a record. The maximum of a line of an import (`MAX_EXPORTED_BYTES`) allows for them. */
export const MAX_VALUES_BYTES = 32_768;

const PERMISSIONS = /^[01]{4}$/;

export interface ParsedBody {
  /** The values in the order of their indexes. */
  readonly values: readonly StoredValue[];
  readonly handle: string | null;
}

/**
 * Parses the body of a request that writes values: a list of values, one value, or an object with `values` and possibly `handle`.
 * @param now the timestamp of the values; the `timestamp` members of the body are ignored.
 * @throws HandleFault code 4, 201 for two values with one index, or 202 for an index that is not from 1 to 2^31 - 1
 */
export function parseValues(body: unknown, now: Date): ParsedBody {
  if (Array.isArray(body)) return { values: valuesIn(body, now), handle: null };
  if (!isObject(body)) throw invalidInput('the body must be a value, a list of values, or an object with values');
  if ('index' in body && 'type' in body && 'data' in body) return { values: valuesIn([body], now), handle: null };
  const { values, handle = null } = body;
  if (values === undefined) throw invalidInput('the body must have values');
  if (values !== null && !Array.isArray(values)) throw invalidInput('values must be a list');
  if (handle !== null && typeof handle !== 'string') throw invalidInput('handle must be a text');
  return { values: valuesIn(values ?? [], now), handle };
}

/** Parses exported values, which keep their times. @throws HandleFault as `parseValues` */
export function parseExportedValues(values: readonly unknown[]): readonly StoredValue[] {
  return valuesIn(values, null);
}

/** @param now the time of the values; null to read the `timestamp` of each value. */
function valuesIn(list: readonly unknown[], now: Date | null): readonly StoredValue[] {
  if (list.length > MAX_VALUES) throw invalidInput(`a record has at most ${MAX_VALUES} values`);
  const values = list.map((value) => valueIn(value, now)).sort((one, other) => one.index - other.index);
  const repeated = values.find(({ index }, at) => values[at + 1]?.index === index);
  if (repeated !== undefined) throw indexConflict(repeated.index);
  requireStorableSize(values);
  return values;
}

/** @throws HandleFault code 4 for values that are too many or too large together */
export function requireStorableSize(values: readonly StoredValue[]): void {
  if (values.length > MAX_VALUES) throw invalidInput(`a record has at most ${MAX_VALUES} values`);
  const bytes = Buffer.byteLength(JSON.stringify(values));
  if (bytes <= MAX_VALUES_BYTES) return;
  throw invalidInput(`the values of a record have at most ${MAX_VALUES_BYTES} bytes as JSON; these have ${bytes}`);
}

function valueIn(value: unknown, now: Date | null): StoredValue {
  if (!isObject(value)) throw invalidInput('a value must be an object');
  const nothing = Object.keys(value).find((name) => MEMBERS.has(name) && value[name] === null);
  if (nothing !== undefined) throw invalidInput(`${nothing} must not be null`);
  const missing = ['index', 'type', 'data'].find((name) => value[name] === undefined);
  if (missing !== undefined) throw invalidInput(`${missing} is missing`);
  const { references } = value;
  if (references !== undefined && !(Array.isArray(references) && references.length === 0)) {
    throw invalidInput('references of values are not stored; leave them out');
  }
  return {
    index: indexIn(value.index),
    type: storableText(textIn(value.type, 'type')),
    data: parseData(value.data),
    ttl: ttlIn(value.ttl),
    permissions: permissionsIn(value.permissions),
    timestamp: now === null ? timeIn(value.timestamp, 'timestamp') : timeText(now),
  };
}

const MEMBERS: ReadonlySet<string> = new Set(['index', 'type', 'data', 'ttl', 'timestamp', 'permissions']);

/** @throws HandleFault code 4 or 202 */
export function indexIn(value: unknown): number {
  const index = integerIn(value, 'index');
  if (index >= 1 && index <= MAX_INDEX) return index;
  throw new HandleFault(RESPONSE_CODE.valueInvalid, 'Value indexes must be positive');
}

function ttlIn(ttl: unknown): number | string {
  if (ttl === undefined) return DEFAULT_TTL_SECONDS;
  if (typeof ttl === 'string' && TIMESTAMP.test(ttl)) return timeIn(ttl, 'ttl');
  const seconds = integerIn(ttl, 'ttl');
  if (seconds >= 0 && seconds <= MAX_INDEX) return seconds;
  throw invalidInput(`ttl must be from 0 to ${MAX_INDEX} seconds, or a time`);
}

function timeIn(text: unknown, name: string): string {
  const time = typeof text === 'string' && TIMESTAMP.test(text) ? new Date(text) : null;
  if (time === null || Number.isNaN(time.getTime()) || !isKeepable(time)) throw invalidInput(`${name} must be a time`);
  return timeText(time);
}

function permissionsIn(permissions: unknown): string {
  if (permissions === undefined) return PUBLIC_PERMISSIONS;
  if (typeof permissions === 'string' && PERMISSIONS.test(permissions)) return permissions;
  throw invalidInput('permissions must be four digits 0 or 1');
}
