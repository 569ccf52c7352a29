import { MEMBERS } from '../registry/members.js';
import { isDeepStrictEqual } from 'node:util';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
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

/** Whether two records of one identifier have the same spelling and the same `compared` attributes (all if absent). */
export function isSame(one: TransferRecord, other: TransferRecord, compared?: readonly string[]): boolean {
  const attributes = ATTRIBUTES.filter((name) => compared?.includes(name) !== false);
  return nativeText(one) === nativeText(other) && attributes.every((name) => isDeepStrictEqual(one[name], other[name]));
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
