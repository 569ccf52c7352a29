import { NO_TEXTS, textsAfter } from '../registry/members.js';
import type { Actor } from '../registry/change.js';
import { addressIn } from '../registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { type GuidGenerator, compactGuid } from '../registry/uuid.js';
import { targetFrom } from '../registry/target-template.js';

export interface NewReservation {
  readonly id: string;
  readonly actor: Actor;
  readonly namingAuthority: NamingAuthority;
  readonly leaseUntil: Date;
}

/** Builds one identifier of a new reservation, with a generated local name. */
export function reservedIdentifier(
  { id, actor, namingAuthority, leaseUntil }: NewReservation,
  guids: GuidGenerator,
): NewIdentifier {
  const localName = compactGuid(guids.next(namingAuthority.uuidVersion));
  const address = addressIn(namingAuthority, localName);
  const target = targetFrom(namingAuthority, localName);
  return {
    authority: namingAuthority,
    address,
    localName,
    selfKey: null,
    metadata: null,
    ...textsAfter(NO_TEXTS, { target }),
    alternates: [],
    leaseUntil,
    reservation: id,
    metadataRecord: null,
    request: null,
    actor,
  };
}
