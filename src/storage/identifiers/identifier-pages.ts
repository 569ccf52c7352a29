import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { clientGone } from '../../problem/problem.js';
import { denotes } from '../../registry/key-collision.js';
import { type Count, MAX_PAGE_BYTES, type PageRow, estimatedRows } from '../statement.js';
import { type IdentifierRow, recordOf } from './identifier-row.js';
import { type NumberedFilter, type PageFilter, hasName, isServed } from './page-filter.js';
import { countQuery, matchesQuery, pageQuery } from './page-query.js';
import {
  type PageCursor,
  type PageOrder,
  type PageRange,
  endsQuery,
  isFurther,
  rangeAfter,
  rangeOf,
  rangeUpTo,
} from './page-range.js';

const NUMBERS = {
  name: 'naming-authority-numbers',
  text: 'SELECT prefix, id FROM naming_authority WHERE prefix = ANY($1::text[])',
};

/** Maximum number of records in the first statement of a page. A statement measures even the records that it does not return. */
const FIRST_READ = 100;
const READ_GROWTH = 4;

/** Maximum number of identifiers that a page compares with a filter that has no index. */
export const MAX_COMPARED = 21_000;

/** Minimum size of the first part of a page; identifiers are compared in parts until the page is full. */
const FIRST_PART = 200;
const PART_GROWTH = 5;

const COUNTED_EXACTLY = 10_000;
/** Maximum number of identifiers that are compared with the filter for an exact count. */
const COMPARED_TO_COUNT = 20_000;

/** Maximum number of records that are read to count the identifiers with a name. Each naming authority has at most one. */
const MOST_WITH_NAME = 1000;

export interface PageRequest {
  readonly limit: number;
  readonly after?: PageCursor | undefined;
  /** Default: oldest first. */
  readonly order?: PageOrder | undefined;
  /** Called between statements; if it returns false, the page ends with an error. */
  readonly isWanted?: (() => boolean) | undefined;
}

export interface FoundPage {
  readonly records: IdentifierRecord[];
  /** Where the next page begins; null if there is none. */
  readonly next: PageCursor | null;
  /** Whether the page is not full because the filter would compare more than `MAX_COMPARED` identifiers. */
  readonly isTooBroad?: boolean;
}

/** The end of a part, and the index by which it is read. */
interface PartEnd {
  /** Null if the part ends with the range. */
  readonly end: PageCursor | null;
  /** As numbered by `endsQuery`. */
  readonly index: number;
}

const WITHOUT_END: PartEnd = { end: null, index: 0 };

interface Compared {
  readonly numbered: NumberedFilter;
  readonly range: PageRange;
  readonly index: number;
  readonly isWanted: () => boolean;
}

type MeasuredRow = IdentifierRow & PageRow & { readonly bytes_before: string };

/** Lists records in order of minting. An expired reservation counts as withdrawn. */
@Injectable()
export class IdentifierPages {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /**
   * Reads one page. Large records shorten it. If the filter has no index, the page ends after comparing `MAX_COMPARED` identifiers. It can
   * then be empty and still have a `next`, with which an export continues.
   * @throws Problem REQUEST_TIMEOUT when `isWanted` returns false.
   */
  async page(
    filter: PageFilter,
    { limit, after, order = 'createdAt', isWanted = always }: PageRequest,
  ): Promise<FoundPage> {
    const numbered = await this.numbered(filter);
    if (numbered === null) return { records: [], next: null };
    const records: IdentifierRecord[] = [];
    let range = rangeOf(numbered, order, after);
    let reached: PageCursor | null = null;
    let bytes = 0;
    const isBounded = !isServed(filter);
    // With several naming authorities, every row that is read matches, but each statement reads the list of every naming authority.
    const isInParts = isBounded || (numbered.namingAuthorityIds !== undefined && !hasName(numbered));
    for (const part of isInParts ? partsOf(limit) : [null]) {
      if (!isWanted()) throw clientGone();
      const { end, index } = part === null ? WITHOUT_END : await this.endOf(numbered, range, part);
      const compared = end === null ? range : rangeUpTo(range, end);
      const read = await this.read(filter, { numbered, range: compared, index, isWanted }, limit - records.length);
      records.push(...read.records);
      bytes += read.bytes;
      if (read.next !== null) return { records, next: read.next };
      if (end === null) return { records, next: null };
      reached = end;
      if (records.length === limit || bytes > MAX_PAGE_BYTES) return { records, next: end };
      range = rangeAfter(range, end);
    }
    return { records, next: reached, isTooBroad: isBounded };
  }

  /** Counts matching identifiers. The count is exact up to 10,000 if comparing 20,000 suffices; otherwise it is an estimate. */
  async count(filter: PageFilter): Promise<Count> {
    const numbered = await this.numbered(filter);
    if (numbered === null) return { value: 0, isExact: true };
    // Different names can have the same key, so the records are read and their names are compared.
    if (hasName(numbered)) {
      const { records, next } = await this.page(filter, { limit: MOST_WITH_NAME });
      return { value: records.length, isExact: next === null };
    }
    const range = rangeOf(numbered, 'createdAt', undefined);
    const { end, index } = await this.endOf(numbered, range, COMPARED_TO_COUNT);
    const compared = end === null ? range : rangeUpTo(range, end);
    const query = countQuery(numbered, compared, COUNTED_EXACTLY + 1, index);
    const { rows } = await this.pool.query<{ count: number }>(query);
    const counted = rows[0]?.count ?? 0;
    if (end === null && counted <= COUNTED_EXACTLY) return { value: counted, isExact: true };
    return { value: Math.max(counted, await estimatedRows(this.pool, matchesQuery(numbered, range))), isExact: false };
  }

  private async read(filter: PageFilter, { numbered, range: whole, index, isWanted }: Compared, limit: number) {
    const records: IdentifierRecord[] = [];
    let range = whole;
    let bytes = 0;
    for (let most = FIRST_READ; ; most *= READ_GROWTH) {
      const wanted = Math.min(most, limit - records.length);
      const found = await this.pool.query<MeasuredRow>(pageQuery(numbered, range, wanted + 1, index));
      const rows = found.rows.slice(0, wanted);
      const last = rows.at(-1);
      if (last === undefined) return { records, next: null, bytes };
      bytes += Number(last.bytes_before);
      const next = { createdAt: last.created_at, id: BigInt(last.id) };
      const read = rows.map((row) => recordOf(row));
      records.push(...read.filter((record) => hasNames(record, filter)));
      if (!last.has_next) return { records, next: null, bytes };
      // A page without records would end the list for a client that does not read `next`.
      const isShort = (rows.length < wanted || bytes > MAX_PAGE_BYTES) && records.length > 0;
      if (isShort || records.length === limit) return { records, next, bytes };
      if (!isWanted()) throw clientGone();
      range = rangeAfter(range, next);
    }
  }

  /** Returns where the next part ends: after `most` identifiers of the index that reaches furthest. */
  private async endOf(filter: NumberedFilter, range: PageRange, most: number): Promise<PartEnd> {
    const { indexes, ...query } = endsQuery(filter, range, most);
    const { rows } = await this.pool.query<{ index: number; created_at: Date; id: string }>(query);
    const ends = new Map(rows.map((row) => [row.index, { createdAt: row.created_at, id: BigInt(row.id) }]));
    const found = Array.from({ length: indexes }, (_, index): PartEnd => ({ index, end: ends.get(index) ?? null }));
    return found.reduce((one, other) => (isFurther(range.order, other.end, one.end) ? other : one));
  }

  private async numbered(filter: PageFilter): Promise<NumberedFilter | null> {
    const { namingAuthority, namingAuthorities, curated, ...others } = filter;
    const prefixes = [namingAuthority ?? [], namingAuthorities ?? [], curated ?? []].flat();
    if (prefixes.length === 0 && namingAuthorities !== undefined) return null;
    const query = { ...NUMBERS, values: [prefixes] };
    const { rows } =
      prefixes.length === 0 ? { rows: [] } : await this.pool.query<{ prefix: string; id: number }>(query);
    const numbers = new Map(rows.map(({ prefix, id }) => [prefix, id]));
    const idsOf = (some: readonly string[] | undefined) => some?.flatMap((prefix) => numbers.get(prefix) ?? []);
    const [visible, curatedIds] = [idsOf(namingAuthorities), idsOf(curated)];
    const rest = { ...others, curatedIds };
    if (namingAuthority === undefined)
      return visible?.length === 1
        ? { ...rest, namingAuthorityId: visible[0] }
        : { ...rest, namingAuthorityIds: visible };
    const one = numbers.get(namingAuthority);
    return one === undefined || visible?.includes(one) === false ? null : { ...rest, namingAuthorityId: one };
  }
}

const always = (): boolean => true;

function* partsOf(limit: number): Generator<number> {
  let size = Math.max(FIRST_PART, 2 * limit);
  for (let rest = MAX_COMPARED; rest > 0; rest -= size, size *= PART_GROWTH) yield Math.min(size, rest);
}

/** Whether a record has the names of a filter, rather than different names with the same keys. */
function hasNames({ metadataId, alternateIds }: IdentifierRecord, filter: PageFilter): boolean {
  const { metadata, opaqueMetadata, alternate } = filter;
  const names = [metadata, opaqueMetadata].filter((name) => name !== undefined);
  if (names.length > 0 && !names.some((name) => metadataId !== null && denotes(metadataId, name))) return false;
  return alternate === undefined || alternateIds.some((stored) => denotes(stored, alternate));
}
