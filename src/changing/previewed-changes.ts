import { BytePool, poolProblem } from '../access/limits/byte-pool.js';
import { Problem } from '../problem/problem.js';
import { type IdentifierRecord, recordBytes } from '../registry/identifier-record.js';
import type { PairedRecords } from '../storage/identifiers/identifier-reader.js';
import type { ChangePlan, Holders } from './change-plan.js';

/** Maximum bytes that one dry run keeps, enough for about 50,000 changes of targets. */
const MAX_BYTES = 33_554_432;

/** The bytes that all dry runs of the process keep. One client has at most half of them. */
export const bytesOfDryRuns = (): BytePool => new BytePool(2 * MAX_BYTES, MAX_BYTES);

const DETAILS = {
  share: 'The dry runs of one client together keep at most 32 MiB. Send the file again when the others have ended.',
  free: 'Other dry runs keep too many values. Send the file again later.',
};

/** Approximate bytes of an entry without its texts. */
const ENTRY_BYTES = 500;

/** What earlier lines of a dry run would change, so that later chunks get the decisions of a real change. */
export class PreviewedChanges {
  private readonly names: Holders = new Map();
  private readonly records = new Map<bigint, IdentifierRecord>();
  private bytes = 0;
  private isEnded = false;

  /** @param all the bytes of all dry runs. */
  constructor(
    private readonly all: BytePool,
    private readonly client: string,
  ) {}

  /** The records as earlier lines would leave them. */
  changed({ records, metadataRecords }: PairedRecords): PairedRecords {
    const changed = (record: IdentifierRecord): IdentifierRecord => this.records.get(record.id) ?? record;
    return {
      records: records.map(changed),
      metadataRecords: new Map([...metadataRecords].map(([id, record]) => [id, changed(record)])),
    };
  }

  /** Replaces each holder with the one that the name would have after the changes of the earlier lines. */
  overlay(holders: Holders): void {
    for (const key of holders.keys()) {
      const earlier = this.names.get(key);
      if (earlier !== undefined) holders.set(key, earlier);
    }
  }

  /** Keeps the changes of a chunk for the next ones. @throws Problem BODY_TOO_LARGE, CONCURRENCY_LIMITED or OVERLOADED */
  keep({ changes, holders }: Pick<ChangePlan, 'changes' | 'holders'>): void {
    for (const { after, released, gained } of changes) {
      const earlier = this.records.get(after.id);
      this.grow(bytesOf(after) - (earlier === undefined ? 0 : bytesOf(earlier)));
      // A cell of CSV would keep the text of its row in memory.
      this.records.set(after.id, structuredClone(after));
      for (const key of [...released, ...gained]) {
        if (!this.names.has(key)) this.grow(ENTRY_BYTES + key.length);
        this.names.set(key, holders.get(key) ?? null);
      }
    }
  }

  /** Must be called when the stream ends. */
  end(): void {
    this.all.giveBack(this.client, this.bytes);
    this.isEnded = true;
  }

  private grow(bytes: number): void {
    // After a broken connection, a last chunk can follow the end.
    if (this.isEnded) return;
    if (this.bytes + bytes > MAX_BYTES) {
      const detail =
        'The file changes more than one dry run can keep (32 MiB). Send the lines that have no result as another dry run.';
      throw new Problem('BODY_TOO_LARGE', detail);
    }
    const rejection = bytes > 0 ? this.all.rejection(this.client, bytes) : null;
    if (rejection !== null) throw poolProblem(rejection, DETAILS);
    this.bytes += bytes;
    this.all.take(this.client, bytes);
  }
}

function bytesOf(record: IdentifierRecord): number {
  return ENTRY_BYTES + recordBytes(record);
}
