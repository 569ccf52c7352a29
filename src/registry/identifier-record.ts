import { type CordraId, type Handle, type Resolver, toCordraId, toHandle } from '../identifier/index.js';

/** The life of an identifier; nothing is ever deleted or reused. */
export const STATES = ['reserved', 'active', 'withdrawn'] as const;
export type State = (typeof STATES)[number];

/** Longest URL that an identifier resolves to, in characters; the database has the same limit. */
export const MAX_TARGET_LENGTH = 2048;

/** Most alternate identifiers of one identifier; the database has the same limit. */
export const MAX_ALTERNATES = 100;

export interface Tombstone {
  readonly withdrawnAt: Date;
  readonly reason: string;
  /** The identifier to use instead, `NA/local` for Handles, canonical for others. */
  readonly replacedBy: string | null;
}

/** What can change about an identifier: the document that its history patches. */
export interface MutableAttributes {
  /** Canonical spelling, see `StoredName`. */
  readonly metadataId: string | null;
  readonly target: string | null;
  readonly alternateIds: readonly string[];
  readonly state: State;
  /** Until when a reserved identifier is held; null for all others. */
  readonly leaseUntil: Date | null;
  readonly tombstone: Tombstone | null;
}

/** A registered identifier as the service works with it. */
export interface IdentifierRecord extends MutableAttributes {
  readonly id: bigint;
  readonly namingAuthority: string;
  /** 32 hexadecimal digits in capitals (CID-14); null where local names are not GUIDs. */
  readonly guid: string | null;
  readonly localName: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The resolver of its naming authority; null for the configured one. */
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
