export type Separator = ',' | ';' | '\t';

/** A misplaced quotation mark after which the end of the row is unknown: the mark is not closed, or more quotation marks follow. */
export class UnclosedMark extends SyntaxError {}

/**
 * Splits a row into at most `most` + 1 cells (RFC 4180).
 * @throws SyntaxError for a misplaced quotation mark; UnclosedMark if the end of the row is then unknown.
 */
export function cellsIn(row: string, separator: Separator, most: number): string[] {
  const cells: string[] = [];
  let start = 0;
  while (cells.length <= most) {
    const { cell, end } = row[start] === '"' ? quotedCell(row, start) : plainCell(row, start, separator);
    if (end < row.length && row[end] !== separator)
      throw misplaced(row, end, `cell ${cells.length + 1} has text after its closing quotation mark`);
    cells.push(cell);
    if (end >= row.length) break;
    start = end + 1;
  }
  return cells;
}

function plainCell(row: string, start: number, separator: Separator): { cell: string; end: number } {
  const next = row.indexOf(separator, start);
  const end = next < 0 ? row.length : next;
  const cell = row.slice(start, end);
  if (!cell.includes('"')) return { cell, end };
  throw misplaced(row, end, 'a cell with a quotation mark must begin with one, and the mark in it must be doubled');
}

function misplaced(row: string, end: number, detail: string): SyntaxError {
  return row.includes('"', end) ? new UnclosedMark(detail) : new SyntaxError(detail);
}

function quotedCell(row: string, start: number): { cell: string; end: number } {
  let end = start;
  do {
    end = row.indexOf('"', end + 1);
    if (end < 0) throw new UnclosedMark('a quotation mark is not closed');
    if (row[end + 1] !== '"') break;
    end += 1;
  } while (end < row.length);
  return { cell: row.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 };
}

/** Characters that start a formula in spreadsheets, including full-width forms, and the apostrophe that escapes them. */
const FORMULA = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;

/** A `;`, tab or line break, with the text up to the next one. Some spreadsheets read these characters as the end of a cell. */
const PART = /[;\t\r\n][^;\t\r\n]*/g;

/** A part that begins with a formula after spaces and quotation marks. `GUARDED_PART` matches a part that is already escaped. */
const FORMULA_PART = /^[;\t\r\n][ "']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const GUARDED_PART = /^[;\t\r\n]'[ "']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** Prefixes each formula in a cell with an apostrophe, so that a spreadsheet shows it as text. */
export function guarded(text: string): string {
  const inner = text.replace(PART, (part) => (FORMULA_PART.test(part) ? `${part.slice(0, 1)}'${part.slice(1)}` : part));
  return FORMULA.test(inner) ? `'${inner}` : inner;
}

/** Reverses `guarded`; any other apostrophe belongs to the text. */
export function unguarded(cell: string): string {
  const inner = cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
  return inner.replace(PART, (part) => (GUARDED_PART.test(part) ? part.slice(0, 1) + part.slice(2) : part));
}
