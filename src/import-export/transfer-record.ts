import { MEMBERS } from '../registry/members.js';
import { isDeepStrictEqual } from 'node:util';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import type { CanonicalName } from '../registry/canonical-name.js';
import { areSameNames, isSameName } from '../registry/key-collision.js';
import type { Conflicts } from '../storage/identifiers/conflict-finder.js';

/** The part of a record that is exported and imported. */
export type TransferRecord = Omit<
  IdentifierRecord,
  'id' | 'resolver' | 'describes' | 'newerVersions' | 'guid' | 'sandbox'
>;

const ATTRIBUTES: readonly (keyof TransferRecord)[] = [
  ...MEMBERS.map(({ name }) => name),
  ...(['version', 'createdAt', 'updatedAt'] as const),
];

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
  const attributes = ATTRIBUTES.filter((name) => compared?.includes(name) !== false);
  const line = inNotationOf(stored, record, names);
  return (
    nativeText(stored) === nativeText(line) && attributes.every((name) => isDeepStrictEqual(stored[name], line[name]))
  );
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

/** The `compared` values of a line for a digest, equal for two notations of a name. */
export function comparedValues({ record, names, compared }: ComparedLine): unknown[] {
  const { metadata, alternates, previousVersion, replacedBy } = names;
  const values = {
    ...record,
    metadataId: metadata?.key,
    alternateIds: alternates.map(({ key }) => key),
    previousVersion: previousVersion?.key,
    tombstone: record.tombstone && { ...record.tombstone, replacedBy: replacedBy?.key },
  };
  return Object.entries(values).filter(([name]) => compared?.includes(name) !== false);
}

type Owner = Pick<TransferRecord, 'namingAuthority' | 'localName' | 'tombstone'>;

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
