import { Injectable } from '@nestjs/common';
import { isOutdatedClaim, isUniqueViolation } from '../../problem/database-errors.js';
import { allRulesOf, fixNameRules } from './name-rules.js';
import { type InsertedRow, insertQuery } from './insert-statement.js';
import { namingIn } from './identifier-row.js';
import { type IdentifierRecord, nativeText } from '../../registry/identifier-record.js';
import type { Inserted, NewIdentifier } from '../../registry/new-identifier.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { compactGuid } from '../../registry/uuid.js';
import { noteMints } from '../touched.js';
import { type LockWait, type Queryable, Transactions } from '../transactions.js';

/** Inserts identifiers with one statement. */
@Injectable()
export class IdentifierWriter {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Inserts identifiers with their metadata records and alternates; no two of them may conflict.
   * @param transaction the transaction of the caller. Without one, the statement commits by itself, with `lockWait` as its lock timeout.
   * @returns what was inserted for each item, in order; null after a conflict (see `ConflictFinder`), if the naming authority is not active
   * or has changed, or if a name was read under other rules than those of its prefix.
   * @throws Problem OUTCOME_UNKNOWN if the connection was lost.
   */
  async insert(
    items: readonly NewIdentifier[],
    transaction?: Queryable,
    lockWait: LockWait = 'usual',
  ): Promise<(Inserted | null)[]> {
    if (items.length === 0) return [];
    // The query is built before a connection is taken.
    const query = insertQuery(items);
    const rules = [...new Set(items.flatMap(allRulesOf))];
    const work = async (on: Queryable): Promise<(readonly [NewIdentifier, InsertedRow])[]> => {
      const others = await fixNameRules(on, rules);
      const isCurrent = (item: NewIdentifier): boolean => !allRulesOf(item).some((rule) => others.has(rule));
      const current = others.size === 0 ? items : items.filter(isCurrent);
      if (current.length === 0) return [];
      noteMints(on, current);
      const { rows } = await on.query<InsertedRow>(current === items ? query : insertQuery(current));
      return rows.flatMap((row) => {
        const item = current[row.ordinal];
        return item === undefined ? [] : [[item, row] as const];
      });
    };
    const rows =
      transaction === undefined
        ? await noneWhenViolated(this.transactions.statement(work, lockWait))
        : await insertBeforeSavepoint(transaction, work);
    const inserted = new Map(rows);
    return items.map((item) => {
      const row = inserted.get(item);
      return row === undefined ? null : insertedFrom(item, row);
    });
  }
}

export async function noneWhenViolated<T>(rows: Promise<T[]>): Promise<T[]> {
  try {
    return await rows;
  } catch (error) {
    if (isUniqueViolation(error) || isOutdatedClaim(error)) return [];
    throw error;
  }
}

/** A unique violation would abort the whole transaction, so a savepoint precedes the statement. */
async function insertBeforeSavepoint<T>(transaction: Queryable, work: (on: Queryable) => Promise<T[]>): Promise<T[]> {
  await transaction.query('SAVEPOINT before_insert');
  const rows = await noneWhenViolated(work(transaction));
  await transaction.query(rows.length === 0 ? 'ROLLBACK TO before_insert' : 'RELEASE before_insert');
  return rows;
}

/** Members are listed, because spreading objects takes ten times as long. Few mints have a metadata record. */
function insertedFrom(item: NewIdentifier, row: InsertedRow): Inserted {
  const { authority, address, localName, metadata, alternates, metadataRecord, leaseUntil } = item;
  const { prefix: namingAuthority, caseInsensitive } = authority;
  const named = { namingAuthority, guid: guidOf(address), localName };
  const record: IdentifierRecord = {
    id: BigInt(row.id),
    namingAuthority,
    guid: named.guid,
    localName,
    metadataId: metadata?.canonical ?? null,
    target: item.target,
    language: item.language,
    alternateIds: alternates.map(({ canonical }) => canonical),
    previousVersion: item.previousVersion?.canonical ?? null,
    handleValues: item.handleValues ?? null,
    state: leaseUntil === null ? 'active' : 'reserved',
    leaseUntil,
    tombstone: null,
    version: 1,
    createdAt: row.created_at,
    updatedAt: row.created_at,
    resolver: authority.resolver,
    sandbox: authority.sandbox,
    describes: namingIn(row.describes, named, caseInsensitive),
    newerVersions: namingIn(row.newer_versions, named, caseInsensitive),
  };
  if (metadataRecord === null || row.metadata_record_id === null) return { record, metadataRecord: null };
  const own = {
    id: BigInt(row.metadata_record_id),
    guid: guidOf(metadataRecord.address),
    localName: metadataRecord.localName,
    target: metadataRecord.target,
    describes: [nativeText(record)],
  };
  const none = {
    metadataId: null,
    language: null,
    alternateIds: [],
    previousVersion: null,
    handleValues: null,
    newerVersions: [],
  };
  return { record, metadataRecord: { ...record, ...none, ...own } };
}

const guidOf = ({ guid }: Address): string | null => (guid === null ? null : compactGuid(guid));

/** Separates candidates that have a unique value (see `keysOf`) in common with an earlier candidate. */
export function partitionConflicting<T extends { readonly item: NewIdentifier }>(
  candidates: readonly T[],
): { now: T[]; later: T[] } {
  const seen = new Set<string>();
  const now: T[] = [];
  const later: T[] = [];
  for (const candidate of candidates) {
    const keys = keysOf(candidate.item);
    if (keys.some((key) => seen.has(key))) later.push(candidate);
    else now.push(candidate);
    for (const key of keys) seen.add(key);
  }
  return { now, later };
}

/** The keys of the unique values of a new identifier; identifiers with a common key conflict. */
export function keysOf({ authority, address, selfKey, metadata, alternates, request, actor }: NewIdentifier): string[] {
  const { prefix } = authority;
  return [
    // Generated names cannot conflict.
    ...(selfKey === null ? [] : [nameKey(address)]),
    ...(metadata === null ? [] : [`metadata ${prefix} ${metadata.key}`]),
    ...alternates.flatMap(({ key, here }) =>
      [`alternate ${prefix} ${key}`, here?.address ? nameKey(here.address) : []].flat(),
    ),
    ...(request === null ? [] : [`request ${request.index} ${JSON.stringify([actor.client, request.key])}`]),
  ];
}

export function nameKey({ namingAuthority, guid, localKey }: Address): string {
  return `name ${namingAuthority} ${guid ?? localKey}`;
}
