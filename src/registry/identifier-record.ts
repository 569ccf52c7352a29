import { TEXTS, type Texts } from './members.js';
import {
  type CordraId,
  type Handle,
  type Resolver,
  type Uris,
  toCordraId,
  toHandle,
  urisOf,
} from '../identifier/index.js';
import { type StoredValue, isShown } from './stored-value.js';
import { Problem } from '../problem/problem.js';

/** The states of an identifier, which is never deleted or reused. */
export const STATES = ['reserved', 'active', 'withdrawn'] as const;
export type State = (typeof STATES)[number];

/** Characters; the database has the same limit. */
export const MAX_TARGET_LENGTH = 2048;

/** The database has the same limit. */
export const MAX_ALTERNATES = 100;

/** Why an identifier was withdrawn, as a caller may say it. */
export const REQUESTED_REASON_CODES = ['duplicate', 'error', 'legal', 'other'] as const;
export type RequestedReasonCode = (typeof REQUESTED_REASON_CODES)[number];

/** Those of callers, and those that the service alone gives, to what was deleted, has expired, or was released or undone. */
export const REASON_CODES = [...REQUESTED_REASON_CODES, 'deleted', 'expired', 'released', 'undone'] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export interface Tombstone {
  readonly withdrawnAt: Date;
  readonly reasonCode: ReasonCode;
  readonly reason: string;
  /** The replacement, canonical. */
  readonly replacedBy: string | null;
}

/** The attributes that can change: the document that the history patches. */
export interface MutableAttributes extends Texts {
  /** Canonical, see `CanonicalName`. */
  readonly metadataId: string | null;
  readonly alternateIds: readonly string[];
  /** The identifier of the previous version of the object, canonical. */
  readonly previousVersion: string | null;
  /** The stored values of the Handle in the order of their indexes; null where there are none beside the computed ones. */
  readonly handleValues: readonly StoredValue[] | null;
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
  /** Whether it belongs to a naming authority for tests, where Handle clients may delete it. */
  readonly sandbox: boolean;
  /** Identifiers that have this one as their metadata ID, in order of minting. */
  readonly describes: readonly string[];
  /** The first identifiers that replace this one (20 at most), in order of minting. */
  readonly newerVersions: readonly string[];
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
  const { namingAuthority, guid, localName, metadataId, describes, newerVersions, sandbox } = record;
  const lifecycle = serializeLifecycle(record);
  const { target, language, state, alternateIds, previousVersion, handleValues } = lifecycle;
  const { version, createdAt, updatedAt, leaseUntil, tombstone } = lifecycle;
  return {
    identifier: nativeText(record),
    namingAuthority,
    guid,
    localName,
    metadataId,
    describes: [...describes],
    target,
    language,
    state,
    alternateIds,
    previousVersion,
    newerVersions: [...newerVersions],
    handleValues,
    sandbox,
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
  const { target, language, state, alternateIds, previousVersion, handleValues, version } = record;
  const { createdAt, updatedAt, leaseUntil } = record;
  return {
    target,
    language,
    state,
    alternateIds: [...alternateIds],
    previousVersion,
    handleValues: handleValues === null ? null : handleValues.filter(isShown),
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

/** Bytes of the names and the target of a record together, in UTF-8; its Handle values have a limit of their own. */
const MAX_RECORD_BYTES = 65_536;

/** The attributes of a record that clients give, without Handle values. */
export interface SizedAttributes extends Texts {
  readonly namingAuthority: string;
  readonly localName: string;
  readonly metadataId: string | null;
  readonly alternateIds: readonly string[];
  readonly previousVersion: string | null;
}

/**
 * Rejects a write that makes a record larger than its limit. A larger record, which was imported, can change as long as it does
 * not grow.
 * @param before the record before the write; null for a new one.
 * @throws Problem RECORD_TOO_LARGE
 */
export function requireSize(after: SizedAttributes, before: SizedAttributes | null): void {
  const bytes = bytesOf(after);
  if (bytes <= MAX_RECORD_BYTES || (before !== null && bytes <= bytesOf(before))) return;
  const detail = `${nativeText(after)} would have ${bytes} bytes of names and target; at most ${MAX_RECORD_BYTES} are allowed.`;
  throw new Problem('RECORD_TOO_LARGE', detail);
}

/** The bytes of the texts and the Handle values of a record. */
export function recordBytes(record: IdentifierRecord): number {
  const { handleValues } = record;
  return bytesOf(record) + (handleValues === null ? 0 : JSON.stringify(handleValues).length);
}

function bytesOf(record: SizedAttributes): number {
  const { localName, metadataId, alternateIds, previousVersion } = record;
  const texts = TEXTS.map(({ name }) => record[name]);
  return [localName, metadataId, previousVersion, ...texts, ...alternateIds].reduce(
    (sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)),
    0,
  );
}
