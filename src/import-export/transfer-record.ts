import { MEMBERS } from '../registry/members.js';
import { isDeepStrictEqual } from 'node:util';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import type { CanonicalName } from '../registry/canonical-name.js';
import { areSameNames, isSameName } from '../registry/key-collision.js';

/** The part of a record that is exported and imported. */
export type TransferRecord = Omit<
  IdentifierRecord,
  'id' | 'resolver' | 'describes' | 'newerVersions' | 'guid' | 'sandbox'
>;

const ATTRIBUTES = [...MEMBERS.map(({ name }) => name), ...(['version', 'createdAt', 'updatedAt'] as const)] as const;

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
  /** The attributes in which a registered identifier is compared with the line; all if absent. */
  readonly compared?: readonly string[] | undefined;
}

/**
 * Returns the names of the `compared` attributes in which a registered identifier differs from a line, and `identifier` if its spelling
 * differs. Two notations of one name count as equal.
 */
export function differences(stored: TransferRecord, { record, names, compared }: ComparedLine): string[] {
  const sent = inNotationOf(stored, record, names);
  const attributes = ATTRIBUTES.filter((name) => compared?.includes(name) !== false);
  const differing = attributes.filter((name) => !isDeepStrictEqual(stored[name], sent[name]));
  return nativeText(stored) === nativeText(sent) ? differing : ['identifier', ...differing];
}

/** The record of a line. Names that another record also has are in the notation of that record. */
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
