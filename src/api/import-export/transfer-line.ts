import { type IdentifierRecord, nativeText, serializeLifecycle } from '../../registry/identifier-record.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/** What is exported of a record, its members always in the same order. */
export function lineOf(record: Omit<IdentifierRecord, 'id' | 'resolver' | 'describes' | 'guid'>): TransferLineDto {
  return { identifier: nativeText(record), metadataId: record.metadataId, ...serializeLifecycle(record) };
}

/** @returns whether two lines have the same values of these members, or of all where there is no list. */
export function saysTheSame(one: TransferLineDto, other: TransferLineDto, members?: readonly string[]): boolean {
  return JSON.stringify(one, members && [...members]) === JSON.stringify(other, members && [...members]);
}
