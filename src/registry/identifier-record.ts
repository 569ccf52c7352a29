import {
  type CordraId,
  type Handle,
  type Resolver,
  type Uris,
  toCordraId,
  toHandle,
  urisOf,
} from '../identifier/index.js';

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

/** A record as a request left it, with the URIs of that time. A replay returns it. */
export interface IdentifierSnapshot extends Omit<IdentifierRecord, 'id' | 'resolver'> {
  readonly uris: Uris;
}

/** @param resolver the resolver of naming authorities that have none of their own. */
export function snapshotOf(record: IdentifierRecord, resolver: Resolver): IdentifierSnapshot {
  return { ...record, uris: urisOf(identifierOf(record), record.resolver ?? resolver) };
}

/** The JSON of an identifier, in stored results and in responses. */
export type SerializedRecord = ReturnType<typeof serializeRecord>;

/** Members are listed one by one, because spreading objects is much slower. */
export function serializeRecord(record: Omit<IdentifierSnapshot, 'uris'>, uris: Uris) {
  const { namingAuthority, guid, localName, metadataId, describes } = record;
  const { target, state, alternateIds, version, createdAt, updatedAt, leaseUntil, tombstone } =
    serializeLifecycle(record);
  return {
    identifier: nativeText(record),
    namingAuthority,
    guid,
    localName,
    metadataId,
    describes: [...describes],
    target,
    state,
    alternateIds,
    version,
    createdAt,
    updatedAt,
    leaseUntil,
    tombstone,
    uris,
  };
}

/** The inverse of `serializeRecord`. */
export function deserializeRecord({ identifier: _, ...json }: SerializedRecord): IdentifierSnapshot {
  const { createdAt, updatedAt, leaseUntil, tombstone } = json;
  return {
    ...json,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    leaseUntil: leaseUntil === null ? null : new Date(leaseUntil),
    tombstone: tombstone === null ? null : { ...tombstone, withdrawnAt: new Date(tombstone.withdrawnAt) },
  };
}

export function serializeLifecycle(
  record: MutableAttributes & Pick<IdentifierRecord, 'version' | 'createdAt' | 'updatedAt'>,
) {
  const { target, state, alternateIds, version, createdAt, updatedAt, leaseUntil } = record;
  return {
    target,
    state,
    alternateIds: [...alternateIds],
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    leaseUntil: leaseUntil?.toISOString() ?? null,
    tombstone: serializeTombstone(record),
  };
}

export function serializeTombstone({ tombstone }: Pick<IdentifierRecord, 'tombstone'>) {
  return tombstone === null ? null : { ...tombstone, withdrawnAt: tombstone.withdrawnAt.toISOString() };
}
