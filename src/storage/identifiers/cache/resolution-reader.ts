import type pg from 'pg';
import type { Replica } from '../../../database/replica/replica.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import type { Address } from '../../../registry/naming-authority-snapshot.js';
import { replicaFirst } from '../../replica-first.js';
import { AddressLookups } from '../coalesced-reader.js';

/** As for the look-ups of `coalesced-reader.ts`. */
const LIMITS = { maxBatchSize: 100, maxConcurrentBatches: 2, maxQueueLength: 5000 };

/**
 * Reads records by their keys, whose names the caller compares, without `describes`, which is an empty list; at the replica first,
 * where there is one.
 */
export class ResolutionReader {
  readonly hasReplica: boolean;
  private readonly atPrimary: AddressLookups;
  private readonly atReplica: AddressLookups | null;

  /** @param pool the hot pool. */
  constructor(
    pool: pg.Pool,
    private readonly replica: Replica | null = null,
  ) {
    this.hasReplica = replica !== null;
    this.atPrimary = new AddressLookups(false, LIMITS, (query) => pool.query(query));
    this.atReplica = replica && new AddressLookups(false, LIMITS, (query, minimum) => replica.query(query, minimum));
  }

  /** The look-ups that wait for a statement. */
  get depth(): number {
    return this.atPrimary.depth + (this.atReplica?.depth ?? 0);
  }

  /**
   * @param minimum the position of the log that the replica must have replayed, so that the record has the changes that a poll of
   * the log has told; null for any.
   * @throws Problem OVERLOADED when too many wait.
   */
  async find(address: Address, minimum: bigint | null = null): Promise<IdentifierRecord | null> {
    const { replica, atReplica, atPrimary } = this;
    if (replica === null || atReplica === null) return atPrimary.find(address);
    return replicaFirst(
      replica,
      (record) => record !== null,
      () => atReplica.find(address, minimum ?? 0n),
      () => atPrimary.find(address),
    );
  }
}
