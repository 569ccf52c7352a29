import { parseHandle } from '@mintmark/identifier';
import type { StoredValue } from '../../../registry/stored-value.js';
import { isUrl, targetIn, textOf } from '../../values/index.js';
import { type NotAppended, appendToTarget } from '../append-to-target.js';
import { type HandleQuery, visibleQuery } from '../../handle-query.js';
import { type Locations, chooseLocation, parseLocations } from './locations.js';

/** Where a request for a record is redirected, and the value that determines this. */
export interface Destination {
  readonly kind: 'alias' | 'location' | 'target';
  /** For `alias`, the path of another Handle at this resolver; otherwise an http or https URL. */
  readonly location: string;
  readonly value: StoredValue;
}

const LOCATIONS = '10320/loc';

/** Maximum total length of the texts whose locations are kept. Locations can take several times the memory of their text. */
const MAX_KEPT_LENGTH = 4_194_304;

/** The locations of value objects. The cache of records returns the same object many times, and parsing a long text takes milliseconds. */
let kept = new WeakMap<StoredValue, Locations | null>();
let keptLength = 0;

/**
 * Finds where a client is redirected: to the Handle of an HS_ALIAS if the query selects no values, else to a location of a value 10320/loc,
 * else to the URL value with the lowest index.
 * @param values the public values that the query selects.
 * @param isSelf whether a Handle is the one of the record. An alias with this name would be a loop.
 * @returns null if there is no redirect and the values are shown.
 */
export function destinationOf(
  values: readonly StoredValue[],
  isSelf: (handle: string) => boolean,
  query: HandleQuery,
  random: number,
): Destination | null {
  const isWhole = query.types.length === 0 && query.indexes.length === 0;
  for (const value of isWhole && !query.ignoresAliases ? values : []) {
    if (value.type.toUpperCase() !== 'HS_ALIAS') continue;
    const name = textOf(value) ?? '';
    const path = isSelf(name.trim()) ? null : pathOf(name);
    if (path !== null) return { kind: 'alias', location: path, value };
  }
  for (const value of values) {
    const locations = locationsIn(value);
    const chosen = locations === null ? null : chooseLocation(locations, query.locatt, random);
    if (chosen !== null) return { kind: 'location', location: chosen.href, value };
  }
  const url = values.find(isUrl);
  const target = targetIn(values) ?? null;
  return url === undefined || target === null ? null : { kind: 'target', location: target, value: url };
}

/** Appends the whole query to the path of an alias, and only `urlappend` to a URL. @param requested the request target. */
export function withAppended(
  destination: Destination,
  query: HandleQuery,
  requested: string,
): Destination | NotAppended {
  const { kind, location } = destination;
  const isAlias = kind === 'alias';
  const whole = isAlias ? location + visibleQuery(requested) : appendToTarget(location, query.urlappend);
  return typeof whole === 'string' ? { ...destination, location: whole } : whole;
}

/** The locations of a value 10320/loc; null for any other value, or if its data is not well-formed XML. */
export function locationsIn(value: StoredValue): Locations | null {
  if (value.type.toLowerCase() !== LOCATIONS) return null;
  const known = kept.get(value);
  if (known !== undefined) return known;
  const text = textOf(value) ?? '';
  const locations = parseLocations(text);
  keptLength += text.length;
  if (keptLength > MAX_KEPT_LENGTH) {
    kept = new WeakMap();
    keptLength = text.length;
  }
  kept.set(value, locations);
  return locations;
}

function pathOf(handle: string): string | null {
  const read = parseHandle(handle, { charset: 'unicode' });
  if (!read.ok) return null;
  const { namingAuthority, localName } = read.value;
  return [namingAuthority, localName].map((part) => `/${encodeURIComponent(part.toWellFormed())}`).join('');
}
