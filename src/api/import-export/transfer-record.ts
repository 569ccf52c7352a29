import { isDeepStrictEqual } from 'node:util';
import { type IdentifierRecord, nativeText } from '../../registry/identifier-record.js';

/** What is exported of a record, and imported. */
export type TransferRecord = Omit<
  IdentifierRecord,
  'id' | 'resolver' | 'describes' | 'newerVersions' | 'guid' | 'sandbox'
>;

const ATTRIBUTES = [
  ...(['metadataId', 'target', 'state', 'alternateIds', 'replaces', 'handleValues', 'version'] as const),
  ...(['createdAt', 'updatedAt', 'leaseUntil', 'tombstone'] as const),
] as const satisfies readonly (keyof TransferRecord)[];

/** Whether two records of one identifier have the same spelling and `compared` attributes (all when absent). */
export function isSame(one: TransferRecord, other: TransferRecord, compared?: readonly string[]): boolean {
  const attributes = ATTRIBUTES.filter((name) => compared?.includes(name) !== false);
  return nativeText(one) === nativeText(other) && attributes.every((name) => isDeepStrictEqual(one[name], other[name]));
}
