import Negotiator from 'negotiator';
import { LINKSET } from '../../registry/typed-links.js';

const JSON_TYPE = 'application/json';

/** Maximum number of media ranges that are read, because Negotiator's time grows with them. Further ones are ignored. */
const MAX_RANGES = 100;

/**
 * The first of `types` that `Accept` (RFC 9110 12.5.1) names, unless the header prefers JSON or another of `types`. A wildcard does not
 * name a type, because programs that expect JSON send wildcards. At equal weights, a named type takes precedence over JSON in either order,
 * whereas Negotiator chooses the type that comes first.
 * @returns null for JSON.
 */
export function namedType<T extends string>(accept: string | undefined, types: readonly T[]): T | null {
  if (accept === undefined || !types.some((type) => accept.toLowerCase().includes(type))) return null;
  const read = accept.split(',', MAX_RANGES);
  const orders = [read, [...read].reverse()].map((ranges) => rangesOf(ranges.join()));
  const isBefore = (one: string, other: string) =>
    orders.some((ranges) => !ranges.includes(other) || ranges.indexOf(one) < ranges.indexOf(other));
  const named = types.filter((type) => orders[0]?.includes(type));
  return named.find((type) => [...named, JSON_TYPE].every((other) => other === type || isBefore(type, other))) ?? null;
}

/** Whether a client prefers a link set to JSON and to a page. */
export function acceptsLinkset(accept: string | undefined): boolean {
  return namedType(accept, ['text/html', LINKSET]) === LINKSET;
}

/** Whether a client accepts JSON but neither HTML nor a wildcard for all types. Tools without a preference get pages. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const accepted = rangesOf(accept);
  const isJson = (type: string): boolean => type === JSON_TYPE || type === 'application/problem+json';
  return accepted.some(isJson) && !accepted.includes('text/html') && !accepted.includes('*/*');
}

function rangesOf(accept: string): string[] {
  const read = accept.split(',', MAX_RANGES).join();
  return new Negotiator({ headers: { accept: read } }).mediaTypes().map((range) => range.toLowerCase());
}
