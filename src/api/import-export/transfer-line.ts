import { nativeText, serializeLifecycle } from '../../registry/identifier-record.js';
import { isShown } from '../../registry/stored-value.js';
import type { TransferRecord } from './transfer-record.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/**
 * What is exported of a record, its members always in the same order.
 * @param isComplete whether values that not everybody may read are exported too; otherwise they are counted.
 */
export function lineOf(record: TransferRecord, isComplete: boolean): TransferLineDto {
  const line = { identifier: nativeText(record), metadataId: record.metadataId, ...serializeLifecycle(record) };
  const { handleValues } = record;
  if (handleValues === null) return { ...line, handleValues, hiddenValues: 0 };
  if (isComplete) return { ...line, handleValues: [...handleValues], hiddenValues: 0 };
  return { ...line, hiddenValues: handleValues.filter((value) => !isShown(value)).length };
}
