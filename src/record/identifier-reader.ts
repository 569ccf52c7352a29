import { Injectable } from '@nestjs/common';
import { PrismaClient } from '../database/generated/client.js';
import { type IdentifierRecord, type State, identifierOf } from './identifier-record.js';
import { RECORD_COLUMNS, recordOf } from './rows.js';
import { type StoredName, storedName } from './stored-name.js';

/** What a page of records must have in common; an absent member asks for nothing. Keys are `StoredName.key`. */
export interface PageFilter {
  readonly metadataKey?: StoredName['key'] | undefined;
  readonly alternateKey?: StoredName['key'] | undefined;
  readonly namingAuthority?: string | undefined;
  readonly state?: State | undefined;
  readonly target?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

/** Reads records; the only reader of their table. */
@Injectable()
export class IdentifierReader {
  constructor(private readonly prisma: PrismaClient) {}

  /** @param guid 32 hex digits in any case, with or without hyphens. */
  async find(namingAuthority: string, guid: string): Promise<IdentifierRecord | null> {
    const row = await this.prisma.identifier.findUnique({
      select: RECORD_COLUMNS,
      where: { namingAuthority_guid: { namingAuthority, guid } },
    });
    return row === null ? null : recordOf(row);
  }

  /** The identifier of a naming authority that a metadata ID describes; there is at most one. */
  async findDescribed(namingAuthority: string, metadataKey: StoredName['key']): Promise<IdentifierRecord | null> {
    const row = await this.prisma.identifier.findUnique({
      select: RECORD_COLUMNS,
      where: { namingAuthority_metadataKey: { namingAuthority, metadataKey } },
    });
    return row === null ? null : recordOf(row);
  }

  /** The identifiers that a request minted, in its order, and the hash of that request; null when it minted none. */
  async findByRequest(requestKey: string): Promise<{ records: IdentifierRecord[]; hash: Uint8Array } | null> {
    const rows = await this.prisma.identifier.findMany({
      select: { ...RECORD_COLUMNS, requestHash: true },
      where: { requestKey },
      orderBy: { requestIndex: 'asc' },
    });
    const hash = rows[0]?.requestHash;
    if (hash === undefined || hash === null) return null;
    return { records: rows.map(({ requestHash: _, ...row }) => recordOf(row)), hash };
  }

  /** The identifiers whose metadata ID each of these records is (CID-24), in order of minting. */
  async findDescribedBy(records: readonly IdentifierRecord[]): Promise<Map<IdentifierRecord, string[]>> {
    const keys = new Map(records.map((record) => [hex(storedName(identifierOf(record)).key), record]));
    const described = new Map(records.map((record): [IdentifierRecord, string[]] => [record, []]));
    const rows = await this.prisma.identifier.findMany({
      select: { ...RECORD_COLUMNS, metadataKey: true },
      where: { metadataKey: { in: [...keys.keys()].map((key) => new Uint8Array(Buffer.from(key, 'hex'))) } },
      orderBy: { id: 'asc' },
    });
    for (const { metadataKey, ...row } of rows) {
      const record = metadataKey === null ? undefined : keys.get(hex(metadataKey));
      const { namingAuthority, guid } = recordOf(row);
      if (record !== undefined) described.get(record)?.push(`${namingAuthority}/${guid}`);
    }
    return described;
  }

  /**
   * One page in order of minting.
   * @param after the `id` of the last record of the page before.
   */
  async page(filter: PageFilter, limit: number, after: bigint | undefined): Promise<IdentifierRecord[]> {
    const { metadataKey, alternateKey, namingAuthority, state, target, createdAfter, createdBefore } = filter;
    const rows = await this.prisma.identifier.findMany({
      select: RECORD_COLUMNS,
      where: {
        ...(after === undefined ? {} : { id: { gt: after } }),
        ...(metadataKey === undefined ? {} : { metadataKey }),
        ...(alternateKey === undefined ? {} : { alternateKeys: { has: alternateKey } }),
        ...(namingAuthority === undefined ? {} : { namingAuthority }),
        ...(state === undefined ? {} : { state }),
        ...(target === undefined ? {} : { target }),
        createdAt: {
          ...(createdAfter === undefined ? {} : { gt: createdAfter }),
          ...(createdBefore === undefined ? {} : { lt: createdBefore }),
        },
      },
      orderBy: { id: 'asc' },
      take: limit,
    });
    return rows.map(recordOf);
  }
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}
