import { Injectable } from '@nestjs/common';
import { Problem } from '../problem/problem.js';
import { rowsLost } from '../problem/storage-problems.js';
import { type IdentifierRecord, recordBytes } from '../registry/identifier-record.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import {
  type MintOutcome,
  type MintResult,
  type NamedResult,
  type RecordName,
  type WholeOutcome,
  isWhole,
} from './mint-outcome.js';

/** Maximum bytes of existing records that one group of results keeps. */
const MOST_BYTES = 393_216;
/** Bytes of a record object without its texts. */
const OBJECT_BYTES = 512;

/** Maximum size of a part. Each response that its client does not read holds one part in memory. */
const PARTS = { items: 100, bytes: 131_072 };

export interface WholeResult extends NamedResult {
  readonly result: WholeOutcome | Problem;
}

/**
 * Reduces existing records in results to their names when the records of a group have too many bytes. The result of a request line can be a
 * thousand times the size of the line, and many clients can leave results unread.
 */
export class RecordBudget {
  private bytes = 0;

  reduce(result: MintResult): MintResult {
    if (result instanceof Problem) return result;
    const { record, metadataRecord } = result;
    return {
      ...result,
      record: this.reduceRecord(record),
      metadataRecord: metadataRecord && this.reduceRecord(metadataRecord),
    };
  }

  private reduceRecord(record: IdentifierRecord | RecordName): IdentifierRecord | RecordName {
    if (!isWhole(record)) return record;
    const bytes = OBJECT_BYTES + recordBytes(record);
    if (this.bytes + bytes > MOST_BYTES) return nameOf(record);
    this.bytes += bytes;
    return record;
  }
}

/** Reads the records that `RecordBudget` removed. */
@Injectable()
export class FoundRecords {
  constructor(private readonly reader: IdentifierReader) {}

  async read(outcome: MintOutcome): Promise<WholeOutcome> {
    const ids = missingIn(outcome);
    const records = ids.length === 0 ? [] : await this.reader.findByIds(ids);
    return completed(outcome, new Map(records.map((record) => [record.id, record])));
  }

  /** Yields results with their records, in order and in parts, for a response to write one by one. */
  async *parts(results: readonly NamedResult[]): AsyncGenerator<WholeResult[]> {
    for await (const { part, records } of this.reader.inParts(results, ({ result }) => missingIn(result), PARTS)) {
      yield part.map(({ clientRef, result }) => ({
        clientRef,
        result: result instanceof Problem ? result : completed(result, records),
      }));
    }
  }
}

function nameOf({ id, namingAuthority, guid, localName, tombstone }: RecordName): RecordName {
  return { id, namingAuthority, guid, localName, tombstone: tombstone && { ...tombstone, reason: '' } };
}

function missingIn(result: MintResult): bigint[] {
  if (result instanceof Problem) return [];
  return [result.record, result.metadataRecord].flatMap((record) =>
    record === null || isWhole(record) ? [] : [record.id],
  );
}

function completed(outcome: MintOutcome, records: ReadonlyMap<bigint, IdentifierRecord>): WholeOutcome {
  const whole = (record: IdentifierRecord | RecordName): IdentifierRecord => {
    const found = isWhole(record) ? record : records.get(record.id);
    if (found === undefined) throw rowsLost();
    return found;
  };
  const { record, metadataRecord } = outcome;
  return { ...outcome, record: whole(record), metadataRecord: metadataRecord && whole(metadataRecord) };
}
