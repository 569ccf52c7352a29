import { MEMBERS } from '../registry/members.js';
import { isDeepStrictEqual } from 'node:util';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
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

/** Whether two records of one identifier have the same spelling and `compared` attributes (all when absent). */
export function isSame(one: Comparable, other: Comparable, compared?: readonly string[]): boolean {
  const attributes = ATTRIBUTES.filter((name) => compared?.includes(name) !== false);
  return nativeText(one) === nativeText(other) && attributes.every((name) => isDeepStrictEqual(one[name], other[name]));
}

/** A record with attributes of less than about 50 bytes, for comparison with others that were shortened. */
export function shortened({ namingAuthority, localName, ...attributes }: TransferRecord): Comparable {
  const short = (value: unknown): string => {
    const text = JSON.stringify(value);
    // A digest is not valid JSON, so it differs from each short text.
    return text.length <= 36 ? text : digestOf(text);
  };
  const values = Object.fromEntries(ATTRIBUTES.map((name) => [name, short(attributes[name])]));
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
