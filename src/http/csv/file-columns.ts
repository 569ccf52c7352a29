import { Problem } from '../../problem/problem.js';
import { unguarded } from './cells.js';
import type { Column, HeaderRules, Row } from './row-reader.js';

const IGNORE = 'ignore';
/** The column name that stands for all columns that a map does not name. */
const OTHERS = '*';

const MAX_NAME = 100;

export interface FileColumns {
  /** The column names, in the order in which errors list them. A column for a single text has the name of its NDJSON member. */
  readonly names: readonly string[];
  /** A file has at least one of these columns. */
  readonly required: readonly string[];
  /** What a row represents, such as "a change". */
  readonly row: string;
}

/** Maps column names in lower case to members; false for a column that is not read. */
type ColumnMap = ReadonlyMap<string, string | false>;

/**
 * The rules for header lines of a file. The columns can be in any order and case.
 * @param map renames columns, as `column:member,column:member`; the last colon of a pair is the separator, because names may have colons.
 * @throws Problem INVALID_REQUEST for an invalid map.
 */
export function headerRules(file: FileColumns, map: string | undefined): HeaderRules {
  const columns = parseMap(map, file);
  return { columnsOf: (header) => columnsOf(header, columns, file), unreadable: (detail) => unreadable(detail, file) };
}

/** Reverses the formula guards of an export. Removes spaces around a target, as in texts copied from documents, because a URL has none. */
export function textsIn(row: Row): Readonly<Record<string, string>> {
  const texts = Object.entries(row).map(([column, cell]) => {
    const text = unguarded(cell);
    return [column, column.toLowerCase().endsWith('target') ? text.trim() : text];
  });
  return Object.fromEntries(texts) as Record<string, string>;
}

/** The identifiers in a cell, which are separated by spaces. */
export function identifiersIn(cell: string): string[] {
  return cell.split(' ').filter((text) => text !== '');
}

function parseMap(text: string | undefined, { names }: FileColumns): ColumnMap {
  const byName = namesOf(names);
  const map = new Map<string, string | false>();
  for (const pair of text?.split(',') ?? []) {
    const colon = pair.lastIndexOf(':');
    const name = pair.slice(0, Math.max(colon, 0)).trim();
    const member = pair
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const column = member === IGNORE ? false : byName.get(member);
    if (name === '') throw invalidMap(`"${shown(pair)}" must be "column:member"`);
    if (column === undefined)
      throw invalidMap(`"${shown(pair)}" has no such member; there are ${names.join(', ')} and ${IGNORE}`);
    if (name === OTHERS && column !== false) throw invalidMap(`"${OTHERS}" can only be "${OTHERS}:${IGNORE}"`);
    if (map.has(name.toLowerCase())) throw invalidMap(`the column "${shown(name)}" is repeated`);
    map.set(name.toLowerCase(), column);
  }
  return map;
}

function columnsOf(header: readonly string[], map: ColumnMap, file: FileColumns): Column[] {
  const byName = namesOf(file.names);
  const names = header.map((name) => name.trim());
  const columns = names.map((name): Column => {
    const column = map.get(name.toLowerCase()) ?? (map.has(OTHERS) ? false : byName.get(name.toLowerCase()));
    if (column !== undefined) return column;
    if (name === '') return null;
    const quoted = shown(name);
    const detail = `"${quoted}" is not a column of ${file.row}. Map it with the query parameter columns=${quoted}:target (or another member), or leave it out with columns=${quoted}:${IGNORE}`;
    throw unreadable(detail, file);
  });
  const present = new Set(names.map((name) => name.toLowerCase()));
  const missing = [...map.keys()].find((name) => name !== OTHERS && !present.has(name));
  if (missing !== undefined)
    throw unreadable(`it has no column "${shown(missing)}", which the query parameter columns names`, file);
  const read = columns.filter((column) => typeof column === 'string');
  const repeated = read.find((column, index) => read.indexOf(column) < index);
  if (repeated !== undefined) throw unreadable(`two columns are "${repeated}"`, file);
  if (!file.required.some((name) => read.includes(name))) {
    const ignored = file.required.find((name) => present.has(name.toLowerCase()) && !map.has(name.toLowerCase()));
    const cause = ignored === undefined ? '' : `: "${OTHERS}:${IGNORE}" leaves it out; add "${ignored}:${ignored}"`;
    throw unreadable(`the column "${file.required.join('" or "')}" is missing${cause}`, file);
  }
  return columns;
}

function namesOf(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

function shown(name: string): string {
  return name.slice(0, MAX_NAME);
}

function invalidMap(detail: string): Problem {
  return new Problem('INVALID_REQUEST', `The query parameter columns cannot be read: ${detail}.`, {
    errors: [{ pointer: '#query/columns', detail }],
  });
}

function unreadable(detail: string, file: FileColumns): Problem {
  return new Problem('INVALID_REQUEST', `The file cannot be read: ${detail}. Its ${columnRule(file)}`);
}

/** Describes the first line of a file. Returns the end of a sentence that the caller begins, and a second sentence. */
export function columnRule({ names, required }: FileColumns): string {
  return `first line names the columns, in any order and case, separated by ",", ";" or a tab: ${names.join(', ')}. Only ${required.join(' or ')} is required.`;
}
