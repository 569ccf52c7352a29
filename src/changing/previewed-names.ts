import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { PairedRecords } from '../storage/identifiers/identifier-reader.js';
import type { Holders, PlannedChange } from './change-plan.js';

/** Maximum number of names that a dry run keeps for later chunks, about 200 bytes each. */
const MAX_NAMES = 10_000;

/** The names that earlier lines of a dry run would release and get. With them, later chunks get the decisions of a real change. */
export class PreviewedNames {
  private readonly names: Holders = new Map();
  private readonly ofRecords = new Map<bigint, Pick<IdentifierRecord, 'metadataId' | 'alternateIds'>>();

  /** The records with the names that earlier lines would give them. */
  named({ records, metadataRecords }: PairedRecords): PairedRecords {
    const named = (record: IdentifierRecord): IdentifierRecord => ({ ...record, ...this.ofRecords.get(record.id) });
    return {
      records: records.map(named),
      metadataRecords: new Map([...metadataRecords].map(([id, record]) => [id, named(record)])),
    };
  }

  /** Replaces the holders of names by those that earlier lines would leave. */
  overlay(holders: Holders): void {
    for (const key of holders.keys()) {
      const earlier = this.names.get(key);
      if (earlier !== undefined) holders.set(key, earlier);
    }
  }

  /** Records the names of a planned change. @param holders the holders of names after it. */
  note({ before, after, released, gained, metadataRecord }: PlannedChange, holders: Holders): void {
    if (metadataRecord !== null) this.note(metadataRecord, holders);
    if (released.length + gained.length === 0) return;
    if (this.names.size < MAX_NAMES)
      this.ofRecords.set(before.id, { metadataId: after.metadataId, alternateIds: after.alternateIds });
    for (const key of [...released, ...gained]) {
      if (this.names.size >= MAX_NAMES && !this.names.has(key)) continue;
      this.names.set(key, holders.get(key) ?? null);
    }
  }
}
