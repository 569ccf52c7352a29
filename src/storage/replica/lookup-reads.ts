import type { Replica } from '../../database/replica/replica.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { CoalescedReader } from '../identifiers/coalesced-reader.js';
import type { ReadClient } from '../read-client.js';
import { replicaFirst } from '../replica-first.js';

/**
 * The look-ups of requests that only read, of a replica where there is one. A record can lack changes of the last seconds,
 * so nothing that decides about a write uses it: that reads by `READ_CLIENT`.
 */
export class LookupReads {
  private readonly atReplica: CoalescedReader | null;

  constructor(
    private readonly primary: ReadClient,
    private readonly replica: Replica | null,
  ) {
    this.atReplica = replica === null ? null : new CoalescedReader(replica);
  }

  /** @throws Problem OVERLOADED, or the error of the primary where the replica does not have the record. */
  async find(address: Address): Promise<IdentifierRecord | null> {
    const { replica, atReplica, primary } = this;
    if (replica === null || atReplica === null) return primary.identifier.find(address);
    return replicaFirst(
      replica,
      (record) => record !== null,
      () => atReplica.find(address),
      () => primary.identifier.find(address),
    );
  }

  /** The objects of a metadata ID, in order of minting. @returns null when they need pages. */
  async findByMetadataId(metadata: CanonicalName): Promise<IdentifierRecord[] | null> {
    const { replica, atReplica, primary } = this;
    if (replica === null || atReplica === null) return primary.identifier.findByMetadataId(metadata);
    return replicaFirst(
      replica,
      (records) => records === null || records.length > 0,
      () => atReplica.findByMetadataId(metadata),
      () => primary.identifier.findByMetadataId(metadata),
    );
  }

  get waiting(): number {
    return this.primary.identifier.waitingLookups() + (this.atReplica?.depth ?? 0);
  }
}
