import { type IdentifierRecord, nativeText } from '../record/identifier-record.js';
import { tombstoneOf } from '../record/identifier-presenter.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/** What is exported of a record, its members always in the same order. */
export function lineOf(record: Omit<IdentifierRecord, 'id' | 'resolver' | 'describes' | 'guid'>): TransferLineDto {
  const { metadataId, target, state, alternateIds, version } = record;
  return {
    identifier: nativeText(record),
    metadataId,
    target,
    state,
    alternateIds: [...alternateIds],
    version,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    leaseUntil: record.leaseUntil?.toISOString() ?? null,
    tombstone: tombstoneOf(record),
  };
}

/** Whether two lines say the same. */
export function saysTheSame(one: TransferLineDto, other: TransferLineDto): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
