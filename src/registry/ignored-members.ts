import { TEXTS, type TextName, type Texts } from './members.js';
import type { CanonicalName } from './canonical-name.js';
import type { IdentifierRecord } from './identifier-record.js';
import { areSameNames, isSameName } from './key-collision.js';

/** Members of a mint request that may differ from the identifier with the same metadata ID. */
export const IGNORABLE_MEMBERS = [
  ...TEXTS.map(({ name }) => name),
  ...(['alternateIds', 'previousVersion', 'state', 'leaseUntil'] as const),
];
export type IgnorableMember = (typeof IGNORABLE_MEMBERS)[number];

export type IgnorableValues = Pick<IdentifierRecord, IgnorableMember>;

/** The ignorable members of a parsed mint request. */
export interface SentMembers extends Texts {
  readonly sent: readonly IgnorableMember[];
  readonly alternates: readonly CanonicalName[];
  readonly previousVersion: CanonicalName | null;
  /** Null for an active identifier. */
  readonly leaseUntil: Date | null;
}

/** The members of a mint request whose values differ from the existing identifier with the same metadata ID. */
export function ignoredMembers(request: SentMembers, record: IgnorableValues): IgnorableMember[] {
  const { sent, alternates, previousVersion, leaseUntil } = request;
  const isEqual: Readonly<Record<Exclude<IgnorableMember, TextName>, boolean>> = {
    alternateIds: areSameNames(record.alternateIds, alternates),
    previousVersion: isSameName(record.previousVersion, previousVersion),
    // A request for a reserved identifier always has a lease.
    state: record.state === (leaseUntil === null ? 'active' : 'reserved'),
    leaseUntil: record.leaseUntil?.getTime() === leaseUntil?.getTime(),
  };
  return sent.filter((name) =>
    name in isEqual ? !isEqual[name as keyof typeof isEqual] : request[name as TextName] !== record[name],
  );
}

/**
 * Members of a mint request that contradict the identifier with its metadata ID. They differ from both the value as minted and the current
 * value.
 * @param asMinted absent if the identifier has not changed.
 */
export function contradictedMembers(
  request: SentMembers,
  record: IgnorableValues,
  asMinted: IgnorableValues = record,
): IgnorableMember[] {
  const changed = ignoredMembers(request, record);
  if (changed.length === 0 || asMinted === record) return changed;
  const contradicted = ignoredMembers(request, asMinted);
  return changed.filter((name) => contradicted.includes(name));
}
