import type { Principal } from '../../../access/principal.js';
import { type HandleLocation, type Location, locationIn } from '../../../changing/handle-location.js';
import type { Address, NamingAuthoritySnapshot } from '../../../registry/naming-authority-snapshot.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import { isDeleted } from '../../../registry/lifecycle.js';

interface RecordReader {
  find(address: Address): Promise<IdentifierRecord | null>;
}

/** The naming authorities, read at most a second ago. */
interface CurrentAuthorities {
  current(): Promise<NamingAuthoritySnapshot>;
}

/** Finds the records of Handles that are given as native texts; URIs are not recognized. */
export class HandleFinder {
  constructor(
    private readonly records: RecordReader,
    private readonly authorities: CurrentAuthorities,
  ) {}

  async visible(principal: Principal): Promise<NamingAuthoritySnapshot> {
    return principal.viewOf(await this.authorities.current());
  }

  async locate(handle: string, principal: Principal): Promise<Location> {
    return locationIn(await this.visible(principal), handle);
  }

  /** The record at a location; null if there is none, or if it is reserved or deleted. */
  async find({ address }: HandleLocation): Promise<IdentifierRecord | null> {
    const record = address === null ? null : await this.records.find(address);
    return record === null || record.state === 'reserved' || isDeleted(record) ? null : record;
  }
}
