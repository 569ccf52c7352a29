import type { Actor, ChangeKind, PatchOperation } from './change-log.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Digest } from './digest.js';
import type { Address } from './known-authorities.js';
import type { NamingAuthority } from './naming-authority.js';
import type { StoredName } from './stored-name.js';

/** The request that a mint belongs to: its Idempotency-Key, the place in it, and the digest of its meaning. */
export interface RequestPlace {
  readonly key: string;
  readonly index: number;
  readonly hash: Digest;
}

/** The largest place in a request, which is kept as an INTEGER. */
export const MAX_PLACE = 2_147_483_647;

/** The metadata record that is minted beside an object, in the same statement (CID-24). */
export interface NewMetadataRecord {
  readonly address: Address;
  readonly localName: string;
  readonly patch: readonly PatchOperation[];
}

/** A new identifier, everything decided but whether the database takes it. */
export interface NewIdentifier {
  /** As it was known when this was decided: the statement mints only when its version is still the same. */
  readonly authority: NamingAuthority;
  readonly address: Address;
  readonly localName: string;
  /** The key under which it would be a metadata ID; null for a local name that was made just now, which describes nothing yet. */
  readonly ownKey: StoredName['key'] | null;
  readonly metadata: StoredName | null;
  readonly target: string | null;
  readonly alternates: readonly StoredName[];
  /** Until when it is reserved; null for an active one. */
  readonly leaseUntil: Date | null;
  /** The reservation of many that it belongs to, a UUID; absent for all others. */
  readonly reservation?: string;
  readonly metadataRecord: NewMetadataRecord | null;
  readonly request: RequestPlace | null;
  readonly actor: Actor;
  readonly kind: ChangeKind;
  readonly patch: readonly PatchOperation[];
}

/** The rows that were inserted: the object's and, where one was asked for, its metadata record's. */
export interface Inserted {
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
}
