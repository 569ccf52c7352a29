import { Problem } from '../problem/problem.js';
import { type IdentifierRecord, nativeText } from './identifier-record.js';

/** Octets of the names and the target of a record together, in UTF-8; its Handle values have a limit of their own. */
const MAX_RECORD_OCTETS = 65_536;

/** The attributes of a record that clients give, without Handle values. */
export interface SizedAttributes {
  readonly namingAuthority: string;
  readonly localName: string;
  readonly metadataId: string | null;
  readonly target: string | null;
  readonly alternateIds: readonly string[];
  readonly replaces: string | null;
}

/**
 * Refuses a write that makes a record larger than its limit. A larger record, which was imported, can change as long as it does
 * not grow.
 * @param before the record before the write; null for a new one.
 * @throws Problem RECORD_TOO_LARGE
 */
export function requireSize(after: SizedAttributes, before: SizedAttributes | null): void {
  const octets = octetsOf(after);
  if (octets <= MAX_RECORD_OCTETS || (before !== null && octets <= octetsOf(before))) return;
  const detail = `${nativeText(after)} would have ${octets} octets of names and target; at most ${MAX_RECORD_OCTETS} are allowed.`;
  throw new Problem('RECORD_TOO_LARGE', detail);
}

/** The octets of the texts and the Handle values of a record. */
export function recordOctets(record: IdentifierRecord): number {
  const { handleValues } = record;
  return octetsOf(record) + (handleValues === null ? 0 : JSON.stringify(handleValues).length);
}

function octetsOf({ localName, metadataId, target, alternateIds, replaces }: SizedAttributes): number {
  return [localName, metadataId, target, replaces, ...alternateIds].reduce(
    (sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)),
    0,
  );
}
