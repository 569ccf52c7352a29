import { TEXTS, type TextName, type Texts } from './members.js';
import type { CanonicalName } from './canonical-name.js';
import type { IdentifierRecord } from './identifier-record.js';
import { denotes } from './key-collision.js';

/** The members of a mint request that an identifier with the same metadata ID may have with other values. */
export const IGNORABLE_MEMBERS = [
  ...TEXTS.map(({ name }) => name),
  ...(['alternateIds', 'previousVersion', 'state', 'leaseUntil'] as const),
];
export type IgnorableMember = (typeof IGNORABLE_MEMBERS)[number];

/** What an identifier has of these members. */
export type IgnorableValues = Pick<IdentifierRecord, IgnorableMember>;

/** What a mint request has of these members, parsed. */
export interface SentMembers extends Texts {
  /** The members that the request has. */
  readonly sent: readonly IgnorableMember[];
  readonly alternates: readonly CanonicalName[];
  /** Null where none is named. */
  readonly previousVersion: CanonicalName | null;
  /** Null for an active identifier. */
  readonly leaseUntil: Date | null;
}

function isSame(requested: CanonicalName | null, stored: string | null): boolean {
  return requested === null || stored === null ? requested === stored : denotes(stored, requested);
}

/** The members of a mint request that the identifier with its metadata ID has with other values. */
export function ignoredMembers(request: SentMembers, record: IgnorableValues): IgnorableMember[] {
  const { sent, alternates, previousVersion, leaseUntil } = request;
  const isEqual: Readonly<Record<Exclude<IgnorableMember, TextName>, boolean>> = {
    alternateIds:
      alternates.length === record.alternateIds.length &&
      alternates.every((name, index) => denotes(record.alternateIds[index] ?? '', name)),
    previousVersion: isSame(previousVersion, record.previousVersion),
    // A request for a reserved identifier always has a lease.
    state: record.state === (leaseUntil === null ? 'active' : 'reserved'),
    leaseUntil: record.leaseUntil?.getTime() === leaseUntil?.getTime(),
  };
  return sent.filter((name) =>
    name in isEqual ? !isEqual[name as keyof typeof isEqual] : request[name as TextName] !== record[name],
  );
}

/**
 * The members of a mint request that contradict the identifier with its metadata ID: each given member agrees with its value as
 * minted or as it is now.
 * @param asMinted absent where the identifier has not changed.
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
