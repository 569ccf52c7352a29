import type { Actor } from '../record/change-log.js';
import { creation } from '../record/change-log.js';
import type { GuidSource } from '../record/guid-source.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import type { NamingAuthority } from '../record/naming-authority.js';
import type { NewIdentifier } from '../record/new-identifier.js';
import { compactGuid } from '../record/rows.js';
import { targetFrom } from '../record/target-template.js';

/** What all identifiers of a reservation have in common. */
export interface ReservationOrder {
  readonly id: string;
  readonly actor: Actor;
  readonly authority: NamingAuthority;
  readonly leaseUntil: Date;
}

/** A new identifier that nobody has described yet. */
export function reservedIdentifier(
  { id, actor, authority, leaseUntil }: ReservationOrder,
  known: KnownAuthorities,
  guids: GuidSource,
): NewIdentifier {
  const localName = compactGuid(guids.next(authority.uuidVersion));
  const address = known.addressOf(authority, localName);
  const target = targetFrom(authority, localName);
  return {
    authority,
    address,
    localName,
    ownKey: null,
    metadata: null,
    target,
    alternates: [],
    leaseUntil,
    reservation: id,
    metadataRecord: null,
    request: null,
    actor,
    kind: 'reserved',
    patch: creation({ metadataId: null, target, alternateIds: [], state: 'reserved', leaseUntil, tombstone: null }),
  };
}
