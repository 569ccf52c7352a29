import { Problem } from '../problem/problem.js';
import { type IdentifierRecord, type Tombstone, nativeText, serializeTombstone } from './identifier-record.js';
import type { TypedLink } from './typed-links.js';

type Ended = Pick<IdentifierRecord, 'tombstone'>;

/**
 * How every interface presents a record: shown, gone (410), or blocked for a legal reason (451). A duplicate has moved to its replacement.
 * A resolver may redirect to the replacement; for other interfaces, the duplicate is gone.
 */
export type Availability =
  | { readonly kind: 'shown' }
  | { readonly kind: 'gone' | 'blocked'; readonly tombstone: Tombstone }
  /** `to` is canonical. */
  | { readonly kind: 'moved'; readonly tombstone: Tombstone; readonly to: string };

const SHOWN: Availability = { kind: 'shown' };

export function availabilityOf({ tombstone }: Ended): Availability {
  if (tombstone === null) return SHOWN;
  const { reasonCode, replacedBy } = tombstone;
  if (reasonCode === 'legal') return { kind: 'blocked', tombstone };
  if (reasonCode === 'duplicate' && replacedBy !== null) return { kind: 'moved', tombstone, to: replacedBy };
  return { kind: 'gone', tombstone };
}

/** The problem of a withdrawn record: 410, or 451 (RFC 7725 3), with its tombstone. */
export function withdrawnProblem(record: IdentifierRecord): Problem {
  const identifier = nativeText(record);
  const tombstone = serializeTombstone(record);
  const reason = tombstone?.reason ?? '';
  const instead = tombstone?.replacedBy == null ? '' : ` Use ${tombstone.replacedBy} instead.`;
  const stop = instead === '' || /\p{P}\s*$/u.test(reason) ? '' : '.';
  const code = availabilityOf(record).kind === 'blocked' ? 'IDENTIFIER_BLOCKED' : 'IDENTIFIER_WITHDRAWN';
  const detail = `${identifier} was withdrawn: ${reason}${stop}${instead}`;
  return new Problem(code, detail, { members: { identifier, tombstone } });
}

/** The link from a blocked record to the entity that blocks it (RFC 7725 4). @param url the URL of that entity, or null. */
export function blockedByLinks(record: Ended, url: string | null): TypedLink[] {
  return url === null || availabilityOf(record).kind !== 'blocked' ? [] : [{ rel: 'blocked-by', href: url }];
}
