import { nativeText, serializeLifecycle } from '../../registry/identifier-record.js';
import { isShown } from '../../registry/stored-value.js';
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
 * @param isComplete whether values that not everybody may read are exported too; otherwise they are counted.
 */
export function lineOf(record: TransferRecord, isComplete: boolean): TransferLine {
  const line = { identifier: nativeText(record), metadataId: record.metadataId, ...serializeLifecycle(record) };
  const { handleValues } = record;
  if (handleValues === null) return { ...line, handleValues, hiddenValues: 0 };
  if (isComplete) return { ...line, handleValues: [...handleValues], hiddenValues: 0 };
  return { ...line, hiddenValues: handleValues.filter((value) => !isShown(value)).length };
}
