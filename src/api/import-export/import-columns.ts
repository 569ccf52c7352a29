import type { HeaderRules } from '../../http/csv/row-reader.js';
import { Problem } from '../../problem/problem.js';
import { COLUMNS } from './csv.js';

/** Characters of an unknown name that an error repeats. */
const MAX_NAME = 100;

const COLUMN_OF: ReadonlyMap<string, string> = new Map(COLUMNS.map((column) => [column.toLowerCase(), column]));

const HEADER_RULE = `Its first line names the columns, in any order and case, separated by ",", ";" or a tab: ${COLUMNS.join(', ')}. Only identifier is required.`;

/** The header lines of an import: columns of an export, in any order and case. */
export const IMPORT_HEADER: HeaderRules = { columnsOf, unreadable };

function columnsOf(header: readonly string[]): string[] {
  const columns = header.map((name) => ({ name, column: COLUMN_OF.get(name.trim().toLowerCase()) }));
  const unknown = columns.find(({ column }) => column === undefined);
  if (unknown !== undefined) throw unreadable(`"${unknown.name.slice(0, MAX_NAME)}" is not a column of an import`);
  const names = columns.flatMap(({ column }) => column ?? []);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw unreadable(`the column "${repeated}" is repeated`);
  if (!names.includes('identifier')) throw unreadable('the column "identifier" is missing');
  return names;
}

function unreadable(detail: string): Problem {
  return new Problem('INVALID_REQUEST', `The file cannot be imported: ${detail}. ${HEADER_RULE}`);
}
