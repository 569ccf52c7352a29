import { nativeText, serializeLifecycle } from '../../registry/identifier-record.js';
import type { TransferRecord } from '../../import-export/transfer-record.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/** A line of an export, which has every member. */
export type TransferLine = Required<TransferLineDto>;

/** What the registry sets when an identifier is minted; a list to import may leave them out. */
export const REGISTRY_MEMBERS = ['state', 'version', 'createdAt', 'updatedAt'] as const;

/**
 * The members that must be equal in a registered identifier so that a line is unchanged: all of an export, and of a list those
 * that it has, and the state.
 */
export function comparedIn(sent: object): readonly string[] | undefined {
  const present = Object.entries(sent).flatMap(([name, value]) => (isAbsent(name, value) ? [] : [name]));
  return REGISTRY_MEMBERS.every((name) => present.includes(name)) ? undefined : [...present, 'state'];
}

function isAbsent(name: string, value: unknown): boolean {
  return value === null && (REGISTRY_MEMBERS as readonly string[]).includes(name);
}

/**
 * What is exported of a record, its members always in the same order.
 * @param shown the record as the key sees it.
 * @param isComplete whether values that not everybody may read are exported too. All others that the record has are counted.
 */
export function lineOf(record: TransferRecord, shown: TransferRecord, isComplete: boolean): TransferLine {
  const line = { identifier: nativeText(shown), metadataId: shown.metadataId, ...serializeLifecycle(shown) };
  const handleValues = isComplete && shown.handleValues !== null ? [...shown.handleValues] : line.handleValues;
  return { ...line, handleValues, hiddenValues: (record.handleValues?.length ?? 0) - (handleValues?.length ?? 0) };
}
