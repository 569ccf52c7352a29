import type { GuidSource } from '../record/guid-source.js';
import { identifierOf } from '../record/identifier-record.js';
import { Problem } from '../problem/problem.js';
import { type Actor, type ChangeKind, creation } from '../record/change-log.js';
import type { Address, KnownAuthorities } from '../record/known-authorities.js';
import type { NamingAuthority } from '../record/naming-authority.js';
import type { NewIdentifier, RequestPlace } from '../record/new-identifier.js';
import { requireTwoThings } from '../record/read-names.js';
import { compactGuid } from '../record/rows.js';
import type { StoredName } from '../record/stored-name.js';
import { targetFrom } from '../record/target-template.js';
import { requireFuture } from '../record/time.js';
import type { MintOrder } from './mint-order.js';

/** Who asks, and as part of which request. */
export interface Asked {
  readonly actor: Actor;
  readonly request: RequestPlace | null;
}

/** An identifier as it is named before it is registered. */
interface Named {
  readonly address: Address;
  readonly localName: string;
}

/**
 * Decides everything about a new identifier that the database need not know for.
 * @throws Problem WRONG_PROFILE, METADATA_ID_IS_IDENTIFIER, or INVALID_REQUEST for a lease that is past.
 */
export function draft(
  order: MintOrder,
  { actor, request }: Asked,
  authority: NamingAuthority,
  known: KnownAuthorities,
  guids: GuidSource,
): NewIdentifier {
  requireProfile(order, authority);
  if (order.leaseUntil !== null) requireFuture(order.leaseUntil, '/leaseUntil');
  const mintedName = (): string => compactGuid(guids.next(authority.uuidVersion));
  const registeredName = order.guid ?? order.localName;
  const object = named(authority, known, registeredName ?? mintedName());
  const record = order.mintMetadataId ? named(authority, known, mintedName()) : null;
  const metadata = record === null ? order.metadata : storedName(authority, known, record);
  const ownKey = registeredName === null ? null : storedName(authority, known, object).key;
  requireTwoThings(ownKey, metadata, '/metadataId');
  const target = order.target ?? targetFrom(authority, object.localName);
  const { alternates, leaseUntil } = order;
  const state = leaseUntil === null ? 'active' : 'reserved';
  return {
    authority,
    address: object.address,
    localName: object.localName,
    ownKey,
    metadata,
    target,
    alternates,
    leaseUntil,
    metadataRecord: record === null ? null : { ...record, patch: creation({ ...EMPTY, state, leaseUntil }) },
    request,
    actor,
    kind: kindOf(order),
    patch: creation({
      ...EMPTY,
      metadataId: metadata?.canonical ?? null,
      target,
      alternateIds: alternates.map(({ canonical }) => canonical),
      state,
      leaseUntil,
    }),
  };
}

const EMPTY = { metadataId: null, target: null, alternateIds: [], state: 'active', leaseUntil: null, tombstone: null };

function kindOf({ guid, localName, leaseUntil }: MintOrder): ChangeKind {
  if (leaseUntil !== null) return 'reserved';
  return guid === null && localName === null ? 'minted' : 'registered';
}

function named(authority: NamingAuthority, known: KnownAuthorities, localName: string): Named {
  return { address: known.addressOf(authority, localName), localName };
}

function storedName({ prefix }: NamingAuthority, known: KnownAuthorities, { address, localName }: Named): StoredName {
  return known.storedName(identifierOf({ namingAuthority: prefix, guid: address.guid, localName }));
}

function requireProfile({ guid, localName }: MintOrder, { prefix, profile }: NamingAuthority): void {
  if (localName !== null && profile === 'cordra') {
    throw wrongProfile(
      '/localName',
      `local names under ${prefix} are GUIDs (CID-10): send "guid", or neither to mint one`,
    );
  }
  if (guid !== null && profile === 'handle') {
    throw wrongProfile('/guid', `local names under ${prefix} are not GUIDs: send it as "localName"`);
  }
}

function wrongProfile(pointer: string, detail: string): Problem {
  return new Problem('WRONG_PROFILE', detail, { errors: [{ pointer, detail }] });
}
