import type { HeaderRules, Row } from '../../http/csv/row-reader.js';
import { unguarded } from '../../http/csv/formulas.js';
import { Problem } from '../../problem/problem.js';

/** The columns of a file of changes, with the member names of NDJSON where a member is one text. */
const COLUMNS = [
  ...(['identifier', 'target', 'metadataId', 'alternateIds', 'withdrawalReason', 'replacedBy'] as const),
  ...(['reinstate', 'activate', 'metadataTarget', 'ifVersion', 'clientRef'] as const),
];
type Column = (typeof COLUMNS)[number];

/** The member that leaves a column out, and the column that means all others. */
const IGNORE = 'ignore';
const OTHERS = '*';

/** Characters of a name that an error repeats. */
const MAX_NAME = 100;

const COLUMN_OF: ReadonlyMap<string, Column> = new Map(COLUMNS.map((column) => [column.toLowerCase(), column]));

/** Which member a column is; false for a column that is not read. Names are in lower case. */
export type ColumnMap = ReadonlyMap<string, Column | false>;

/**
 * Parses `column:member,column:member`. The last colon of a pair separates it, so that the name of a column may have colons.
 * @throws Problem INVALID_REQUEST
 */
export function parseColumnMap(text: string | undefined): ColumnMap {
  const map = new Map<string, Column | false>();
  for (const pair of text?.split(',') ?? []) {
    const colon = pair.lastIndexOf(':');
    const name = pair.slice(0, Math.max(colon, 0)).trim();
    const member = pair
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const column = member === IGNORE ? false : COLUMN_OF.get(member);
    if (name === '') throw invalidMap(`"${shown(pair)}" must be "column:member"`);
    if (column === undefined)
      throw invalidMap(`"${shown(pair)}" has no such member; there are ${COLUMNS.join(', ')} and ${IGNORE}`);
    if (name === OTHERS && column !== false) throw invalidMap(`"${OTHERS}" can only be "${OTHERS}:${IGNORE}"`);
    if (map.has(name.toLowerCase())) throw invalidMap(`the column "${shown(name)}" is repeated`);
    map.set(name.toLowerCase(), column);
  }
  return map;
}

/** The header lines of a file of changes, whose columns are named in any order and case. */
export function headerRules(map: ColumnMap): HeaderRules {
  return { columnsOf: (header) => columnsOf(header, map), unreadable };
}

function columnsOf(header: readonly string[], map: ColumnMap): (string | false)[] {
  const names = header.map((name) => name.trim());
  const columns = names.map((name) => {
    const column = map.get(name.toLowerCase()) ?? (map.has(OTHERS) ? false : COLUMN_OF.get(name.toLowerCase()));
    if (column !== undefined) return column;
    const quoted = shown(name);
    throw unreadable(
      `"${quoted}" is not a column of a change. Map it with the query parameter columns=${quoted}:target (or another member), or leave it out with columns=${quoted}:${IGNORE}`,
    );
  });
  const present = new Set(names.map((name) => name.toLowerCase()));
  const missing = [...map.keys()].find((name) => name !== OTHERS && !present.has(name));
  if (missing !== undefined)
    throw unreadable(`it has no column "${shown(missing)}", which the query parameter columns names`);
  const read = columns.filter((column) => column !== false);
  const repeated = read.find((column, index) => read.indexOf(column) < index);
  if (repeated !== undefined) throw unreadable(`two columns are "${repeated}"`);
  if (!read.includes('identifier')) throw unreadable('the column "identifier" is missing');
  return columns;
}

/**
 * Converts a row to a line of NDJSON, which is validated later. An empty cell sets nothing, so that a file with empty columns
 * removes no values; NDJSON removes them with null.
 */
export function readRow(row: Row): object {
  const cells = Object.entries(row).flatMap(([column, cell]) => (cell === '' ? [] : [[column, unguarded(cell)]]));
  const { alternateIds, withdrawalReason, replacedBy, reinstate, activate, ifVersion, ...texts } = Object.fromEntries(
    cells,
  ) as Partial<Record<Column, string>>;
  const isWithdrawal = withdrawalReason !== undefined || replacedBy !== undefined;
  return {
    ...texts,
    ...(alternateIds !== undefined && { alternateIds: alternateIds.split(' ').filter((text) => text !== '') }),
    ...(isWithdrawal && {
      withdraw: {
        ...(withdrawalReason !== undefined && { reason: withdrawalReason }),
        ...(replacedBy !== undefined && { replacedBy }),
      },
    }),
    ...(reinstate !== undefined && { reinstate: truthOr(reinstate) }),
    ...(activate !== undefined && { activate: truthOr(activate) }),
    ...(ifVersion !== undefined && { ifVersion: /^[0-9]{1,10}$/.test(ifVersion) ? Number(ifVersion) : ifVersion }),
  };
}

/** The truth value in a cell, which spreadsheets write in upper case, or its text, which is refused later. */
function truthOr(cell: string): boolean | string {
  const text = cell.trim().toLowerCase();
  return text === 'true' || (text === 'false' ? false : cell);
}

function shown(name: string): string {
  return name.slice(0, MAX_NAME);
}

function invalidMap(detail: string): Problem {
  return new Problem('INVALID_REQUEST', `The query parameter columns cannot be read: ${detail}.`, {
    errors: [{ pointer: '#query/columns', detail }],
  });
}

function unreadable(detail: string): Problem {
  const rule = `Its first line names the columns, in any order and case, separated by ",", ";" or a tab: ${COLUMNS.join(', ')}. Only identifier is required.`;
  return new Problem('INVALID_REQUEST', `The file cannot be read: ${detail}. ${rule}`);
}
