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

/** Bytes of the found records that one group of results keeps, and of an object without its texts. */
const MOST_BYTES = 393_216;
const OBJECT_BYTES = 512;

/** Parts of a response: the process has one for each response that is not read. */
const PARTS = { items: 100, bytes: 131_072 };

/** A result with whole records. */
export interface WholeResult extends NamedResult {
  readonly result: WholeOutcome | Problem;
}

/**
 * Reduces the results of existing identifiers to their names where the group has large records: a request of one line for each can have
 * results of a thousand times its size, and many clients can have results that they do not read.
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

/** Reads the records that results do not keep. */
@Injectable()
export class FoundRecords {
  constructor(private readonly reader: IdentifierReader) {}

  async read(outcome: MintOutcome): Promise<WholeOutcome> {
    const ids = missingIn(outcome);
    return completed(outcome, byId(ids.length === 0 ? [] : await this.reader.findByIds(ids)));
  }

  /** Results with their records, in order and in parts, which a response writes one by one. */
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

function byId(records: readonly IdentifierRecord[]): ReadonlyMap<bigint, IdentifierRecord> {
  return new Map(records.map((record) => [record.id, record]));
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
