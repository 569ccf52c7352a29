import type { Texts } from './members.js';
import type { AlternateName } from './alternate-name.js';
import type { Actor, ChangeKind, PatchOperation } from './change.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Digest } from './uuid.js';
import type { Address } from './naming-authority-snapshot.js';
import type { NamingAuthority } from './naming-authority.js';
import type { CanonicalName } from './canonical-name.js';
import type { Predecessor } from './predecessor.js';
import type { StoredValue } from './stored-value.js';

/** The Idempotency-Key of a mint, its index in the request, and the fingerprint of the request. */
export interface RequestIndex {
  readonly key: string;
  readonly index: number;
  readonly fingerprint: Digest;
}

/** The metadata record that the same statement mints (CID-24). */
export interface NewMetadataRecord {
  readonly address: Address;
  readonly localName: string;
  readonly target: string | null;
}

/** A new identifier that the database has not accepted yet. */
export interface NewIdentifier extends Texts {
  /** The statement mints only while this version of the naming authority is current. */
  readonly authority: NamingAuthority;
  readonly address: Address;
  readonly localName: string;
  /** The comparison key of the identifier if the request named it; null for a generated name. */
  readonly selfKey: CanonicalName['key'] | null;
  readonly metadata: CanonicalName | null;
  readonly alternates: readonly AlternateName[];
  readonly handleValues?: readonly StoredValue[] | undefined;
  readonly previousVersion?: Predecessor | undefined;
  readonly leaseUntil: Date | null;
  readonly reservation?: string;
  readonly metadataRecord: NewMetadataRecord | null;
  readonly request: RequestIndex | null;
  readonly actor: Actor;
}

export interface Inserted {
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
}

/** A new identifier with its state and times in another registry. */
export interface ImportedIdentifier
  extends NewIdentifier, Pick<IdentifierRecord, 'state' | 'version' | 'createdAt' | 'updatedAt' | 'tombstone'> {
  /** The kind of the first event in this registry. */
  readonly kind: ChangeKind;
  readonly patch: readonly PatchOperation[];
}
