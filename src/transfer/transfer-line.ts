import { type IdentifierRecord, nativeText } from '../record/identifier-record.js';
import { lifeOf } from '../record/identifier-presenter.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/** What is exported of a record, its members always in the same order. */
export function lineOf(record: Omit<IdentifierRecord, 'id' | 'resolver' | 'describes' | 'guid'>): TransferLineDto {
  return { identifier: nativeText(record), metadataId: record.metadataId, ...lifeOf(record) };
}

/** Whether two lines say the same. */
export function saysTheSame(one: TransferLineDto, other: TransferLineDto): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
