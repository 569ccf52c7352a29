import type { ClientBase, QueryConfig } from 'pg';
import { TEXTS } from '../registry/members.js';

/** Maximum number of rows for which one plan is efficient; a statement with more rows is planned each time. */
export const MOST_PREPARED = 64;

/** A statement over `rows` rows of parameters, which is prepared if `rows` is at most `MOST_PREPARED`. */
export function prepared(name: string, text: string, values: unknown[], rows: number): QueryConfig {
  return rows > MOST_PREPARED ? { text, values } : { name, text, values };
}

/** Adds a parameter to a statement, and returns its name. */
export type Add = (value: unknown) => string;

export interface Query {
  readonly text: string;
  readonly values: unknown[];
}

/** Builds a statement with a function that adds the parameters. The statement has no name, because its best plan depends on the values. */
export function queryOf(textOf: (add: Add) => string): Query {
  const values: unknown[] = [];
  return { text: textOf((value) => `$${values.push(value)}`), values };
}

/** A number of rows, as counted or as PostgreSQL estimates it. */
export interface Count {
  readonly value: number;
  readonly isExact: boolean;
}

/** The estimate of the planner for the number of rows of a query. */
export async function estimatedRows(from: Pick<ClientBase, 'query'>, { text, values }: Query): Promise<number> {
  interface Row {
    readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }];
  }
  const { rows } = await from.query<Row>({ text: `EXPLAIN (FORMAT JSON) ${text}`, values });
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/**
 * SQL: the first parameters of a statement, as arrays for `unnest`. Subqueries hide the lengths of the arrays from the planner, so that a
 * session keeps one plan for any number of rows. With known lengths, PostgreSQL would plan each execution, which takes longer.
 */
export function hiddenArrays(...types: readonly string[]): string {
  return types.map((type, index) => `(SELECT $${index + 1}::${type}[])`).join(', ');
}

type Elements = readonly (string | number | null)[];

/**
 * Returns a column of many rows as one `unnest` parameter, or null for a column of nulls. This is faster than the arrays of `pg`. Plain
 * values are joined with one call, because creating a string for each element takes longer.
 */
export function arrayOf(values: Elements): string | null {
  if (values.every((value) => value === null)) return null;
  const isPlain = values.every((value) => typeof value !== 'string' || !/["\\]/.test(value));
  const texts = isPlain ? values : values.map(escaped);
  if (!texts.includes(null)) return `{"${texts.join('","')}"}`;
  return `{${texts.map((text) => (text === null ? 'NULL' : `"${text}"`)).join(',')}}`;
}

/** Joins texts without line feeds, such as JSON, for `string_to_array`, which needs no escapes. */
export function linesOf(texts: readonly string[]): string {
  return texts.join('\n');
}

function escaped<T>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value;
}

/**
 * Bytes of values after which a page ends before its limit, because the pages of many slow clients can be in memory at once. Statements
 * count the bytes, so that the process never receives the rest.
 */
export const MAX_PAGE_BYTES = 1_048_576;

/** Maximum number of records that a statement reads without measuring them, at most 1.6 MB. Measuring takes longer than reading. */
export const MOST_UNMEASURED = 16;

/** SQL for the bytes of the texts and values of a row of `identifier`. */
export function bytesOfRow(row: string): string {
  const texts = ['metadata_id', ...TEXTS.map(({ columns: [column] }) => column), 'local_name'];
  return `(octet_length(${texts.map((column) => `coalesce(${row}.${column}, '')`).join(' || ')})
    + octet_length(coalesce(array_to_string(${row}.alternate_ids, ','), '')) + octet_length(coalesce(${row}.previous_version, ''))
    + octet_length(coalesce(${row}.handle_values::text, '')))`;
}

/** `has_next` is true if the query found a row after this one. */
export interface PageRow {
  readonly has_next: boolean;
}
