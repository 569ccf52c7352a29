import type { Actor } from '../../registry/change.js';
import { creation } from '../../registry/change.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { type GuidGenerator, compactGuid } from '../../registry/uuid.js';
import { targetFrom } from '../../registry/target-template.js';

export interface ReservationCommand {
  readonly id: string;
  readonly actor: Actor;
  readonly authority: NamingAuthority;
  readonly leaseUntil: Date;
}

export function reservedIdentifier(
  { id, actor, authority, leaseUntil }: ReservationCommand,
  known: NamingAuthoritySnapshot,
  guids: GuidGenerator,
): NewIdentifier {
  const localName = compactGuid(guids.next(authority.uuidVersion));
  const address = known.addressOf(authority, localName);
  const target = targetFrom(authority, localName);
  return {
    authority,
    address,
    localName,
    selfKey: null,
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
