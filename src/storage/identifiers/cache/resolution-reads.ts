import type { Replica } from '../../../database/replica/replica.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import type { Address } from '../../../registry/naming-authority-snapshot.js';
import { Batcher } from '../../batcher.js';
import { RESOLUTION_LIMITS, ResolutionReader, readResolutions } from './resolution-reader.js';
import { replicaFirst } from '../../replica-first.js';

interface ReplicaRead {
  readonly address: Address;
  readonly minimum: bigint;
}

/** The reads of resolution that the cache does not have, of a replica where there is one. */
export class ResolutionReads {
  private readonly byGuid: Batcher<ReplicaRead, IdentifierRecord | null>;
  private readonly byLocalKey: Batcher<ReplicaRead, IdentifierRecord | null>;

  constructor(
    private readonly primary: ResolutionReader,
    private readonly replica: Replica,
  ) {
    this.byGuid = new Batcher((reads) => this.read('guid', reads), RESOLUTION_LIMITS);
    this.byLocalKey = new Batcher((reads) => this.read('localKey', reads), RESOLUTION_LIMITS);
  }

  /**
   * @param minimum the position of the log that the replica must have replayed, so that the record has the changes that a
   * poll of the log has told.
   */
  async find(address: Address, minimum: bigint | null): Promise<IdentifierRecord | null> {
    const batcher = address.guid === null ? this.byLocalKey : this.byGuid;
    return replicaFirst(
      this.replica,
      (record) => record !== null,
      () => batcher.add({ address, minimum: minimum ?? 0n }),
      () => this.primary.find(address),
    );
  }

  get depth(): number {
    return this.primary.depth + this.byGuid.depth + this.byLocalKey.depth;
  }

  private read(key: 'guid' | 'localKey', reads: readonly ReplicaRead[]): Promise<(IdentifierRecord | null)[]> {
    const minimum = reads.reduce((most, read) => (read.minimum > most ? read.minimum : most), 0n);
    const addresses = reads.map(({ address }) => address);
    return readResolutions({ query: (query) => this.replica.query(query, minimum) }, key, addresses);
  }
}
