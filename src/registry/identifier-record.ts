import { type CordraId, type Handle, type Resolver, toCordraId, toHandle } from '../identifier/index.js';

/** The states of an identifier, which is never deleted or reused. */
export const STATES = ['reserved', 'active', 'withdrawn'] as const;
export type State = (typeof STATES)[number];

/** Characters; the database has the same limit. */
export const MAX_TARGET_LENGTH = 2048;

/** The database has the same limit. */
export const MAX_ALTERNATES = 100;

export interface Tombstone {
  readonly withdrawnAt: Date;
  readonly reason: string;
  /** The replacement: `NA/local` for Handles, canonical for other names. */
  readonly replacedBy: string | null;
}

/** The attributes that can change: the document that the history patches. */
export interface MutableAttributes {
  /** Canonical, see `CanonicalName`. */
  readonly metadataId: string | null;
  readonly target: string | null;
  readonly alternateIds: readonly string[];
  readonly state: State;
  /** The end of the lease of a reserved identifier. */
  readonly leaseUntil: Date | null;
  readonly tombstone: Tombstone | null;
}

export interface IdentifierRecord extends MutableAttributes {
  readonly id: bigint;
  readonly namingAuthority: string;
  /** 32 upper-case hexadecimal digits (CID-14); null under the profile "handle". */
  readonly guid: string | null;
  readonly localName: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null for the configured resolver. */
  readonly resolver: Resolver | null;
  /** Identifiers that have this one as their metadata ID, in order of minting. */
  readonly describes: readonly string[];
}

export function nativeText(record: Pick<IdentifierRecord, 'namingAuthority' | 'localName'>): string {
  return `${record.namingAuthority}/${record.localName}`;
}

export function identifierOf(
  record: Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName'>,
): CordraId | Handle {
  return record.guid === null ? toHandle(nativeText(record), 'unicode') : toCordraId(nativeText(record));
}
