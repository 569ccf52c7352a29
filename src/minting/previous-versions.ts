import { Injectable } from '@nestjs/common';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { withoutLegalValues } from '../registry/lifecycle.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { NameHolders } from '../storage/identifiers/name-holders.js';
import type { Queryable } from '../storage/transactions.js';
import type { PreviousVersions } from './build-candidates.js';
import type { MintJob } from './mint-outcome.js';

const NONE: PreviousVersions = new Map();

/** Reads previous versions. This is safe before the insert, because an identifier that was active stays registered forever. */
@Injectable()
export class PreviousVersionReader {
  constructor(
    private readonly holders: NameHolders,
    private readonly reader: IdentifierReader,
  ) {}

  /**
   * @param transaction the transaction that mints, because it sees its own identifiers.
   * @param found previous versions that are not read again.
   */
  async find(jobs: readonly MintJob[], transaction?: Queryable, found = NONE): Promise<PreviousVersions> {
    const open = jobs.flatMap((job) => {
      const address = job.command.previousVersion?.address ?? null;
      return address === null || found.has(job) ? [] : [{ job, address }];
    });
    if (open.length === 0) return found;
    const addresses = open.map(({ address }) => address);
    const ids = await this.holders.findIds(addresses, transaction);
    const records = await this.reader.findByIds([...new Set(ids.flatMap((id) => id ?? []))], transaction);
    const byId = new Map(records.map((record) => [record.id, record]));
    const versions = open.flatMap(({ job }, index): [MintJob, IdentifierRecord][] => {
      const record = byId.get(ids[index] ?? 0n);
      if (record === undefined) return [];
      // The error for a cycle would reveal the previous version of a hidden record.
      return [[job, job.reader.hides(record) ? withoutLegalValues(record) : record]];
    });
    return new Map([...found, ...versions]);
  }
}

/** Whether a mint names a previous version of this service that was not found. */
export function isUnregistered(job: MintJob, found: PreviousVersions): boolean {
  return (job.command.previousVersion?.address ?? null) !== null && !found.has(job);
}
