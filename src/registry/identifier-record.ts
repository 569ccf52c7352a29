import { TEXTS, type Texts } from './members.js';
import {
  type CordraId,
  type Handle,
  type Resolver,
  type Uris,
  canonicalUri,
  toCordraId,
  toHandle,
  urisOf,
} from '@mintmark/identifier';
import { type StoredValue, isShown } from './stored-value.js';
import { Problem } from '../problem/problem.js';

/** The states of an identifier, which is never deleted or reused. */
export const STATES = ['reserved', 'active', 'withdrawn'] as const;
export type State = (typeof STATES)[number];

/** Maximum length of a target in characters; the database has the same limit. */
export const MAX_TARGET_LENGTH = 2048;

/** Maximum number of alternates; the database has the same limit. */
export const MAX_ALTERNATES = 100;

/** Reason codes of a withdrawal that callers may give. */
export const REQUESTED_REASON_CODES = ['duplicate', 'error', 'legal', 'other'] as const;
export type RequestedReasonCode = (typeof REQUESTED_REASON_CODES)[number];

export const REASON_CODES = [...REQUESTED_REASON_CODES, 'deleted', 'expired', 'released', 'undone'] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export interface Tombstone {
  readonly withdrawnAt: Date;
  readonly reasonCode: ReasonCode;
  readonly reason: string;
  /** The canonical text of the replacement. */
  readonly replacedBy: string | null;
}

/** The attributes that can change: the document that the history patches. */
export interface MutableAttributes extends Texts {
  /** Canonical, see `CanonicalName`. */
  readonly metadataId: string | null;
  readonly alternateIds: readonly string[];
  /** The identifier of the previous version of the object, canonical. */
  readonly previousVersion: string | null;
  /** Stored Handle values in the order of their indexes; null if there are only computed ones. */
  readonly handleValues: readonly StoredValue[] | null;
  readonly state: State;
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
  /** Whether the naming authority is for tests, so that Handle clients may delete the identifier. */
  readonly sandbox: boolean;
  /** Identifiers whose metadata ID is this identifier, in order of minting. */
  readonly describes: readonly string[];
  /** The first 20 identifiers that replace this one, in order of minting. */
  readonly newerVersions: readonly string[];
}

export function nativeText(record: Pick<IdentifierRecord, 'namingAuthority' | 'localName'>): string {
  return `${record.namingAuthority}/${record.localName}`;
}

export function identifierOf(
  record: Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName'>,
): CordraId | Handle {
  return record.guid === null ? toHandle(nativeText(record), { charset: 'unicode' }) : toCordraId(nativeText(record));
}

const PLAIN = /^[0-9.]+\/[0-9A-F]{32}$/;

/** Native texts that are recognized unchanged: no letters before the "/" and no trailing white space. */
const READ_BACK = /^[0-9.]+\/.*\S$/u;

/** The path of an identifier in the REST API: a GUID unchanged, other local names escaped, and an ambiguous native text as a URI. */
export function locationOf({ identifier }: { readonly identifier: string }): string {
  if (PLAIN.test(identifier)) return `/identifiers/${identifier}`;
  const text = READ_BACK.test(identifier) ? identifier : canonicalUri(toHandle(identifier, { charset: 'unicode' }));
  return `/identifiers/${encodeURIComponent(text)}`;
}

/** A record and its URIs at the end of a request, for replays. */
export interface IdentifierSnapshot extends Omit<IdentifierRecord, 'id' | 'resolver'> {
  readonly uris: Uris;
}

/** @param resolver for naming authorities without their own resolver. */
export function snapshotOf(record: IdentifierRecord, resolver: Resolver): IdentifierSnapshot {
  return { ...record, uris: urisOf(identifierOf(record), { resolver: record.resolver ?? resolver }) };
}

export type SerializedRecord = ReturnType<typeof serializeRecord>;

/** Serializes an identifier for stored results and responses. Members are listed, because spreading objects is much slower. */
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

/** Maximum bytes in UTF-8 of names and texts of a record together; Handle values have a separate limit. */
const MAX_RECORD_BYTES = 65_536;

/** The attributes of a record that clients set, without Handle values. */
type SizedAttributes = Texts &
  Pick<IdentifierRecord, 'namingAuthority' | 'localName' | 'metadataId' | 'alternateIds' | 'previousVersion'>;

/** @throws Problem RECORD_TOO_LARGE for a write that makes a record too large, or enlarges an older record that is too large. */
export function requireSize(after: SizedAttributes, before: SizedAttributes | null): void {
  const bytes = bytesOf(after);
  if (bytes <= MAX_RECORD_BYTES || (before !== null && bytes <= bytesOf(before))) return;
  const detail = `${nativeText(after)} would have ${bytes} bytes of names and target; at most ${MAX_RECORD_BYTES} are allowed.`;
  throw new Problem('RECORD_TOO_LARGE', detail);
}

/** Approximate bytes of the texts and the Handle values of a record. */
export function recordBytes(record: IdentifierRecord): number {
  const { handleValues } = record;
  return bytesOf(record) + (handleValues === null ? 0 : JSON.stringify(handleValues).length);
}

function bytesOf(record: SizedAttributes): number {
  const { localName, metadataId, alternateIds, previousVersion } = record;
  let bytes =
    Buffer.byteLength(localName) + Buffer.byteLength(metadataId ?? '') + Buffer.byteLength(previousVersion ?? '');
  for (const { name } of TEXTS) bytes += Buffer.byteLength(record[name] ?? '');
  for (const alternate of alternateIds) bytes += Buffer.byteLength(alternate);
  return bytes;
}
