import { upperAscii } from './upper-ascii.js';
import type { CanonicalName } from './canonical-name.js';
import type { IdentifierRecord } from './identifier-record.js';
import { denotes, isAt } from './key-collision.js';
import type { Address, Place } from './naming-authority-snapshot.js';

export interface AlternateName extends CanonicalName {
  /** Where the name is or could be registered at this service. Absent for a foreign or hidden name, which the alternate does not claim. */
  readonly here?: Place;
}

/** Returns the given alternates that a record does not have yet. Alternates that it already has keep their claims. */
export function gainedBy(
  { alternateIds }: Pick<IdentifierRecord, 'alternateIds'>,
  alternates: readonly AlternateName[],
) {
  const stored = new Set(alternateIds);
  const byFold = new Map(alternateIds.map((text) => [upperAscii(text), text]));
  return alternates.flatMap((name, index) => {
    if (stored.has(name.canonical)) return [];
    const other = byFold.get(upperAscii(name.canonical));
    return other !== undefined && denotes(other, name) ? [] : [{ name, index }];
  });
}

/** The address of another identifier that could get the name of an alternate; null for a foreign name or the record's own name. */
export function claimOf(
  { here }: AlternateName,
  { namingAuthority, guid, localName }: Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName'>,
): Address | null {
  const address = here?.address ?? null;
  if (address?.namingAuthority !== namingAuthority) return address;
  const isOwn = address.guid === null ? isAt(localName, address) : address.guid === guid;
  return isOwn ? null : address;
}
