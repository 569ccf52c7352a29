import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { type Add, type Query, queryOf } from '../statement.js';
import { type NumberedFilter, MAX_LISTS, WITHOUT_METADATA } from './page-filter.js';

export type PageCursor = Pick<IdentifierRecord, 'createdAt' | 'id'>;

/** The orders of pages: by time of minting, oldest or newest first. */
export const PAGE_ORDERS = ['createdAt', '-createdAt'] as const;
export type PageOrder = (typeof PAGE_ORDERS)[number];

/** A range of identifiers by time of minting and ID. Both limits are exclusive; null means no limit. */
export interface PageRange {
  readonly order: PageOrder;
  readonly after: PageCursor | null;
  readonly before: PageCursor | null;
}

const BEFORE_ALL = 0n;

/** @param cursor the last identifier of the previous page. */
export function rangeOf(
  { createdFrom, createdBefore }: NumberedFilter,
  order: PageOrder,
  cursor: PageCursor | undefined,
): PageRange {
  const whole = {
    order,
    after: createdFrom === undefined ? null : { createdAt: createdFrom, id: BEFORE_ALL },
    before: createdBefore === undefined ? null : { createdAt: createdBefore, id: BEFORE_ALL },
  };
  return cursor === undefined ? whole : rangeAfter(whole, cursor);
}

/** The rest of a range after this identifier, in the order of the range. */
export function rangeAfter(range: PageRange, cursor: PageCursor): PageRange {
  const { order, after, before } = range;
  if (order === 'createdAt') return { ...range, after: after === null || isBefore(after, cursor) ? cursor : after };
  return { ...range, before: before === null || isBefore(cursor, before) ? cursor : before };
}

/** The start of a range up to and including this identifier, in the order of the range. */
export function rangeUpTo(range: PageRange, { createdAt, id }: PageCursor): PageRange {
  return range.order === 'createdAt'
    ? { ...range, before: { createdAt, id: id + 1n } }
    : { ...range, after: { createdAt, id: id - 1n } };
}

/** Whether an end comes after another one in the order of a range; null is the end of the range. */
export function isFurther(order: PageOrder, one: PageCursor | null, other: PageCursor | null): boolean {
  if (one === null || other === null) return one === null && other !== null;
  return order === 'createdAt' ? isBefore(other, one) : isBefore(one, other);
}

function isBefore(one: PageCursor, other: PageCursor): boolean {
  const difference = one.createdAt.getTime() - other.createdAt.getTime();
  return difference < 0 || (difference === 0 && one.id < other.id);
}

export function rangeConditions({ after, before }: PageRange, add: Add): string[] {
  const row = ({ createdAt, id }: PageCursor): string =>
    `(${add(createdAt.toISOString())}::timestamptz, ${add(id.toString())}::bigint)`;
  return [
    ...(after === null ? [] : [`(created_at, id) > ${row(after)}`]),
    ...(before === null ? [] : [`(created_at, id) < ${row(before)}`]),
  ];
}

/**
 * Finds where each index has read `most` identifiers of a range, and returns a row for each index that has so many. An index has at most
 * `most` identifiers up to its row, or in the whole range if it has no row.
 * @returns the query, and the number of indexes that it reads: the index of all identifiers, and those that can serve the filter.
 */
export function endsQuery(filter: NumberedFilter, range: PageRange, most: number): Query & { indexes: number } {
  const parts = indexParts(filter);
  const query = queryOf((add) => {
    const ends = parts.map((part, index) => {
      const found = part(range, add, (lists) => `OFFSET ${add(Math.max(1, Math.floor(most / lists)) - 1)} LIMIT 1`);
      return `(SELECT ${index} AS index, created_at, id FROM (${found}) e${index} LIMIT 1)`;
    });
    return ends.join(' UNION ALL ');
  });
  return { ...query, indexes: parts.length };
}

/**
 * The condition that an index has an identifier in a range, as a list of IDs. Without the list, the planner would choose an index that has
 * more identifiers, because it does not know that the range has few.
 * @param index as numbered by `endsQuery`. The first one has all identifiers, and needs no condition.
 */
export function indexConditions(filter: NumberedFilter, range: PageRange, index: number, add: Add): string[] {
  const part = index === 0 ? undefined : indexParts(filter)[index];
  return part === undefined ? [] : [`r.id = ANY(ARRAY(SELECT part.id FROM (${part(range, add, () => '')}) part))`];
}

/**
 * Selects the identifiers of a range that an index has, in the order of the range.
 * @param limit returns the SQL of the limit for a number of lists, each of which has this limit.
 */
type IndexPart = (range: PageRange, add: Add, limit: (lists: number) => string) => string;

function indexParts(filter: NumberedFilter): IndexPart[] {
  const { state, target, hasTarget, hasMetadata, namingAuthorityId, namingAuthorityIds } = filter;
  const parts: IndexPart[] = [ordered(() => [])];
  if (state === 'reserved' || state === 'withdrawn') parts.push(ordered(() => ["state <> 'active'"]));
  if (hasTarget === false) parts.push(ordered(() => ['target IS NULL']));
  if (hasMetadata === false) parts.push(ordered(() => [WITHOUT_METADATA]));
  if (target !== undefined) {
    parts.push(
      ordered((add) => ['target IS NOT NULL', `hashtextextended(target, 0) = hashtextextended(${add(target)}, 0)`]),
    );
  }
  const numbers = namingAuthorityId === undefined ? namingAuthorityIds : [namingAuthorityId];
  if (numbers !== undefined && numbers.length > 0 && numbers.length <= MAX_LISTS)
    parts.push(ofNamingAuthorities(numbers));
  return parts;
}

/** An index in the order of the pages. */
function ordered(conditions: (add: Add) => readonly string[]): IndexPart {
  return (range, add, limit) => {
    const all = [...conditions(add), ...rangeConditions(range, add)];
    const where = all.length === 0 ? 'true' : all.join(' AND ');
    const direction = directionOf(range);
    return `SELECT created_at, id FROM identifier WHERE ${where} ORDER BY created_at ${direction}, id ${direction} ${limit(1)}`;
  };
}

/** The index of naming authorities, which has a list for each. */
function ofNamingAuthorities(numbers: readonly number[]): IndexPart {
  return (range, add, limit) => {
    const order = `ORDER BY created_at ${directionOf(range)}, id ${directionOf(range)}`;
    const own = ['id > 0', 'naming_authority_id = a.number', ...rangeConditions(range, add)];
    return `
      SELECT created_at, id FROM unnest(${add(numbers)}::int[]) a(number) CROSS JOIN LATERAL (
        SELECT created_at, id FROM identifier WHERE ${own.join(' AND ')} ${order} ${limit(numbers.length)}
      ) lists ${order}`;
  };
}

const directionOf = ({ order }: PageRange): string => (order === 'createdAt' ? 'ASC' : 'DESC');
