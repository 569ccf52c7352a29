import { Injectable } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { isUniqueViolation } from '../problem/database-errors.js';
import { insertQuery } from './insert-statement.js';
import { type IdentifierRecord, nativeText } from './identifier-record.js';
import type { Inserted, NewIdentifier } from './new-identifier.js';
import { compactGuid } from './rows.js';
import { type Queryable, Transactions } from './transactions.js';

interface InsertedRow {
  readonly place: number;
  readonly id: string;
  readonly createdAt: Date;
  readonly metadataRecordId: string | null;
  readonly describes: string[];
}

/** Identifiers to insert, and the statement that does it. */
export interface Insertion {
  readonly items: readonly NewIdentifier[];
  readonly query: QueryConfig;
}

/** Inserts identifiers. */
@Injectable()
export class IdentifierWriter {
  constructor(private readonly transactions: Transactions) {}

  /** Writes the statement, which can be done while others are under way. */
  prepare(items: readonly NewIdentifier[]): Insertion {
    return { items, query: insertQuery(items) };
  }

  /**
   * Inserts identifiers with their metadata records and alternates, no two of which meet each other in a unique index.
   * @param transaction where they belong to more; else they are committed when this returns.
   * @returns for each, in order, what was inserted; null where a unique index or the naming authority was in the way.
   * Which one, a reader finds out.
   * @throws Problem OUTCOME_UNKNOWN when the connection was lost.
   */
  async insert({ items, query }: Insertion, transaction?: Queryable): Promise<(Inserted | null)[]> {
    if (items.length === 0) return [];
    const work = async (on: Queryable): Promise<InsertedRow[]> => (await on.query<InsertedRow>(query)).rows;
    const rows =
      transaction === undefined
        ? await noneWhenViolated(this.transactions.statement(work))
        : await insertBeforeSavepoint(transaction, work);
    const inserted = new Map(rows.map((row) => [row.place, row]));
    return items.map((item, place) => {
      const row = inserted.get(place);
      return row === undefined ? null : insertedFrom(item, row);
    });
  }
}

/**
 * A metadata record or an alternate met a row that was committed while the statement ran, and nothing of it was written.
 * Whoever looks now finds that row in the way.
 */
export async function noneWhenViolated<T>(rows: Promise<T[]>): Promise<T[]> {
  try {
    return await rows;
  } catch (error) {
    if (isUniqueViolation(error)) return [];
    throw error;
  }
}

/** A violation would spoil the whole transaction, so it goes back to where the statement began. */
async function insertBeforeSavepoint(
  transaction: Queryable,
  work: (on: Queryable) => Promise<InsertedRow[]>,
): Promise<InsertedRow[]> {
  await transaction.query('SAVEPOINT before_insert');
  const rows = await noneWhenViolated(work(transaction));
  await transaction.query(rows.length === 0 ? 'ROLLBACK TO before_insert' : 'RELEASE before_insert');
  return rows;
}

function insertedFrom(item: NewIdentifier, row: InsertedRow): Inserted {
  const { metadata, target, alternates, metadataRecord } = item;
  const record = newborn(item, row, row.id, item, {
    metadataId: metadata?.canonical ?? null,
    target,
    alternateIds: alternates.map(({ canonical }) => canonical),
    describes: row.describes,
  });
  if (metadataRecord === null || row.metadataRecordId === null) return { record, metadataRecord: null };
  const facts = { metadataId: null, target: null, alternateIds: [], describes: [nativeText(record)] };
  return { record, metadataRecord: newborn(item, row, row.metadataRecordId, metadataRecord, facts) };
}

/** A record as it begins. All members are written out: spread from parts it would take ten times as long to make. */
function newborn(
  { authority, leaseUntil }: NewIdentifier,
  { createdAt }: InsertedRow,
  id: string,
  { address, localName }: Pick<NewIdentifier, 'address' | 'localName'>,
  {
    metadataId,
    target,
    alternateIds,
    describes,
  }: Pick<IdentifierRecord, 'metadataId' | 'target' | 'alternateIds' | 'describes'>,
): IdentifierRecord {
  return {
    id: BigInt(id),
    namingAuthority: authority.prefix,
    guid: address.guid === null ? null : compactGuid(address.guid),
    localName,
    metadataId,
    target,
    alternateIds,
    state: leaseUntil === null ? 'active' : 'reserved',
    leaseUntil,
    tombstone: null,
    version: 1,
    createdAt,
    updatedAt: createdAt,
    resolver: authority.resolver,
    describes,
  };
}
