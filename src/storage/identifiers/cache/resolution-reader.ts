import type pg from 'pg';
import type { Replica } from '../../../database/replica/replica.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import type { Address } from '../../../registry/naming-authority-snapshot.js';
import { Readers } from '../../replica-readers.js';
import { AddressLookups } from '../coalesced-reader.js';

/** Reads records by their keys, at the replica first if there is one; the caller compares their names. `describes` is an empty list. */
export class ResolutionReader {
  readonly hasReplica: boolean;
  private readonly lookups: Readers<AddressLookups>;

  constructor(pool: pg.Pool, replica: Replica | null = null) {
    this.hasReplica = replica !== null;
    const atPrimary = new AddressLookups(false, (query) => pool.query(query));
    this.lookups = new Readers(
      atPrimary,
      replica,
      (server) => new AddressLookups(false, (query, minimum) => server.query(query, minimum)),
    );
  }

  get depth(): number {
    return this.lookups.atPrimary.depth + (this.lookups.atReplica?.depth ?? 0);
  }

  /**
   * @param minimum the log position that the replica must have replayed, so that the record has the changes notified by a poll; null for
   * any position.
   * @throws Problem OVERLOADED if too many look-ups wait, DATABASE_UNAVAILABLE after a wait of 3 s.
   */
  find(address: Address, minimum: bigint | null = null): Promise<IdentifierRecord | null> {
    return this.lookups.replicaFirst((at) => at.find(address, minimum ?? 0n));
  }
}
