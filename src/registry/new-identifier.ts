import type { PatchOperation } from './change.js';
import type { ChangeKind } from './change.js';
import type { Actor } from './change.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Digest } from './digest.js';
import type { Address } from './naming-authority-snapshot.js';
import type { NamingAuthority } from './naming-authority.js';
import type { CanonicalName } from './canonical-name.js';

/** The request that a mint belongs to: its Idempotency-Key, the place in it, and the digest of its meaning. */
export interface RequestIndex {
  readonly key: string;
  readonly index: number;
  readonly fingerprint: Digest;
}

/** The largest place in a request, which is kept as an INTEGER. */
export const MAX_REQUEST_INDEX = 2_147_483_647;

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
  readonly selfKey: CanonicalName['key'] | null;
  readonly metadata: CanonicalName | null;
  readonly target: string | null;
  readonly alternates: readonly CanonicalName[];
  readonly leaseUntil: Date | null;
  readonly reservation?: string;
  readonly metadataRecord: NewMetadataRecord | null;
  readonly request: RequestIndex | null;
  readonly actor: Actor;
  readonly kind: ChangeKind;
  readonly patch: readonly PatchOperation[];
}

export interface Inserted {
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
}
