import { nativeText, serializeLifecycle } from '../../registry/identifier-record.js';
import type { TransferRecord } from './transfer-record.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/** What is exported of a record, its members always in the same order. */
export function lineOf(record: TransferRecord): TransferLineDto {
  return { identifier: nativeText(record), metadataId: record.metadataId, ...serializeLifecycle(record) };
}
