import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../access/principal.js';
import { type HandleLocation, type Location, locationIn } from '../../../changing/handle-location.js';
import type { NamingAuthoritySnapshot } from '../../../registry/naming-authority-snapshot.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import { isDeleted } from '../../../registry/lifecycle.js';
import { RecordCache } from '../../../storage/identifiers/cache/record-cache.js';
import { prefixElsewhere, tooLong } from '../../values/index.js';
import { NamingAuthorityReads } from '../../../storage/replica/reads.js';

/** @throws HandleFault code 301 for a prefix that is not in this registry, or 4 for a name that is too long */
export function requireHere(location: Location): HandleLocation {
  if (location.kind === 'here') return location;
  throw location.kind === 'foreign' ? prefixElsewhere() : tooLong();
}

/** Finds the records of Handles as principals see them. Handles are given as native texts; URIs are not recognized. */
@Injectable()
export class HandleFinder {
  constructor(
    private readonly records: RecordCache,
    private readonly authorities: NamingAuthorityReads,
  ) {}

  async visible(principal: Principal): Promise<NamingAuthoritySnapshot> {
    return principal.viewOf(await this.authorities.current());
  }

  async locate(handle: string, principal: Principal): Promise<Location> {
    return locationIn(await this.visible(principal), handle);
  }

  async find({ address }: HandleLocation): Promise<IdentifierRecord | null> {
    const record = address === null ? null : await this.records.find(address);
    return record === null || record.state === 'reserved' || isDeleted(record) ? null : record;
  }
}
