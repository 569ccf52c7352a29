import { MEMBERS } from '../registry/members.js';
import { isDeepStrictEqual } from 'node:util';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import type { CanonicalName } from '../registry/canonical-name.js';
import { areSameNames, isSameName } from '../registry/key-collision.js';
import { digestOf } from '../registry/uuid.js';
import type { Conflicts } from '../storage/identifiers/conflict-finder.js';

/** The part of a record that is exported and imported. */
export type TransferRecord = Omit<
  IdentifierRecord,
  'id' | 'resolver' | 'describes' | 'newerVersions' | 'guid' | 'sandbox'
>;

const ATTRIBUTES = [...MEMBERS.map(({ name }) => name), ...(['version', 'createdAt', 'updatedAt'] as const)] as const;

/** A record with its attributes in any form in which equal ones are equal. */
export type Comparable = Pick<TransferRecord, 'namingAuthority' | 'localName'> &
  Readonly<Record<(typeof ATTRIBUTES)[number], unknown>>;

/** The names to which a line refers, as they are compared. */
export interface ReferredNames {
  readonly metadata: CanonicalName | null;
  readonly alternates: readonly CanonicalName[];
  readonly previousVersion: CanonicalName | null;
  readonly replacedBy: CanonicalName | null;
}

export interface ComparedLine {
  readonly record: TransferRecord;
  readonly names: ReferredNames;
  /** The attributes by which an identifier that is already registered is compared with the line; all if absent. */
  readonly compared?: readonly string[] | undefined;
}

/** Whether a registered identifier has the spelling and the `compared` attributes of a line; names are equal in any notation. */
export function isSame(stored: TransferRecord, { record, names, compared }: ComparedLine): boolean {
  return areEqual(stored, inNotationOf(stored, record, names), compared);
}

/** Whether two records of one identifier have the same spelling and `compared` attributes (all if absent). */
export function areEqual(one: Comparable, other: Comparable, compared?: readonly string[]): boolean {
  const attributes = ATTRIBUTES.filter((name) => compared?.includes(name) !== false);
  return nativeText(one) === nativeText(other) && attributes.every((name) => isDeepStrictEqual(one[name], other[name]));
}

/** The record of a line with those names that another record has too in the notation of that record. */
function inNotationOf(
  stored: TransferRecord,
  record: TransferRecord,
  { metadata, alternates, previousVersion, replacedBy }: ReferredNames,
): TransferRecord {
  const { tombstone } = record;
  const replacement = stored.tombstone?.replacedBy ?? null;
  return {
    ...record,
    ...(isSameName(stored.metadataId, metadata) && { metadataId: stored.metadataId }),
    ...(areSameNames(stored.alternateIds, alternates) && { alternateIds: stored.alternateIds }),
    ...(isSameName(stored.previousVersion, previousVersion) && { previousVersion: stored.previousVersion }),
    ...(tombstone && isSameName(replacement, replacedBy) && { tombstone: { ...tombstone, replacedBy: replacement } }),
  };
}

/** The values of a line for comparison with other lines: names by their keys, and each value in less than about 50 bytes. */
export function shortened({ record, names }: ComparedLine): Comparable {
  const { namingAuthority, localName, tombstone } = record;
  const { metadata, alternates, previousVersion, replacedBy } = names;
  const keyed = {
    ...record,
    metadataId: metadata?.key ?? null,
    alternateIds: alternates.map(({ key }) => key),
    previousVersion: previousVersion?.key ?? null,
    tombstone: tombstone && { ...tombstone, replacedBy: replacedBy?.key ?? null },
  };
  const short = (value: unknown): string => {
    const text = JSON.stringify(value);
    // A digest is not valid JSON, so it differs from each short text.
    return text.length <= 36 ? text : digestOf(text);
  };
  const values = Object.fromEntries(ATTRIBUTES.map((name) => [name, short(keyed[name])]));
  return { namingAuthority, localName, ...(values as Record<(typeof ATTRIBUTES)[number], string>) };
}

export type Owner = Pick<TransferRecord, 'namingAuthority' | 'localName' | 'tombstone'>;

/** The records with which the names of a line conflict. */
export type ImportConflicts = Omit<Conflicts<Owner>, 'hasStandby'>;

/** Reduces the records to their names and tombstones, because the other attributes can be large. */
export function ownersIn(conflicts: ImportConflicts): ImportConflicts {
  const owner = ({ namingAuthority, localName, tombstone }: Owner): Owner => ({
    namingAuthority,
    localName,
    tombstone,
  });
  const { address, metadata, alternate, claim, registered, collision } = conflicts;
  return {
    address: address && owner(address),
    metadata: metadata && owner(metadata),
    alternate: alternate && { ...alternate, record: owner(alternate.record) },
    claim: claim && owner(claim),
    registered: registered && { ...registered, record: owner(registered.record) },
    collision,
  };
}

/** What an import does with a line. "unchanged": the identifier is registered with the same attributes. */
export type Decision =
  | { readonly outcome: 'imported' | 'unchanged'; readonly record: TransferRecord }
  | { readonly outcome: 'conflict'; readonly conflicts: ImportConflicts };
