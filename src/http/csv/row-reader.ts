import { Problem } from '../../problem/problem.js';
import { decode } from '../body/content-encoding.js';
import { type Line, LineReader, MAX_EXPORTED_BYTES } from '../body/line-reader.js';
import type { StreamedBody } from '../body/streamed-body.js';
import { type Separator, UnclosedMark, cellsIn } from './cells.js';
import { RowEnds } from './row-ends.js';

/** Maximum number of columns, equal to the maximum number of members of a JSON object. */
const MAX_COLUMNS = 100;

/** A line in which a spreadsheet declares the separator. */
const SEPARATOR_LINE = /^"?sep=(.?)"?$/i;

/** Captures the separator after the first cell of a header line. */
const FIRST_SEPARATOR = /^(?:"(?:[^"]|"")*"|[^,;\t]*)([,;\t])/;

const NOT_UTF8 =
  'the file is not UTF-8; save it as CSV UTF-8, or send it with "content-type: text/csv; charset=windows-1252"';

export type Row = Readonly<Record<string, string>>;

/** The member of a column; false for a column that is not read; null for a column without a name, whose cells must be empty. */
export type Column = string | false | null;

export interface HeaderRules {
  /** The columns of a header line, in its order. @throws Problem INVALID_REQUEST */
  readonly columnsOf: (header: readonly string[]) => Column[];
  readonly unreadable: (detail: string) => Problem;
}

export interface NumberedRow {
  /** The number of the last line of the row. */
  readonly number: number;
  /** A Problem INVALID_REQUEST for a row that is not in the charset of the file, or whose cells do not fit its columns. */
  readonly row: Row | Problem;
}

/**
 * Reads the rows of a CSV file (RFC 4180) as they arrive, with back-pressure and the limits of NDJSON lines. The header line, or a line
 * such as `sep=;` before it, determines the separator: `,`, `;` or a tab. Rows without text are skipped.
 */
export class RowReader {
  private readonly ends = new RowEnds();
  private readonly lines: LineReader;
  private separator: Separator = ',';
  private columns: readonly Column[] = [];
  /** Number of line breaks within cells so far. The line number is computed from this number and the row index. */
  private breaks = 0;
  private failure: Error | null = null;

  private constructor(private readonly body: StreamedBody) {
    this.lines = new LineReader(body, MAX_EXPORTED_BYTES, this.ends.endIn.bind(this.ends));
  }

  /** Reads the header line. @throws Problem INVALID_REQUEST if it is missing or `rules` rejects it, and the errors of `LineReader`. */
  static async open(body: StreamedBody, rules: HeaderRules): Promise<RowReader> {
    const rows = new RowReader(body);
    try {
      rows.columns = rules.columnsOf(await rows.header());
    } catch (error) {
      throw error instanceof SyntaxError ? rules.unreadable(error.message) : error;
    }
    return rows;
  }

  /**
   * @returns 1 to `most` rows; null at the end.
   * @throws Problem INVALID_REQUEST for a quotation mark that is not closed, BODY_TOO_LARGE for a row that is too long, and errors of `LineReader`.
   */
  async next(most: number): Promise<NumberedRow[] | null> {
    if (this.failure !== null) throw this.failure;
    const rows: NumberedRow[] = [];
    while (rows.length === 0 && this.failure === null) {
      const lines = await this.lines.next(most);
      if (lines === null) return null;
      try {
        for (const line of lines) rows.push(...this.rowOf(line));
      } catch (error) {
        this.failure = error as Error;
      }
    }
    // Rows before a failure are returned first; the next call throws it.
    if (rows.length === 0 && this.failure !== null) throw this.failure;
    return rows;
  }

  private async header(): Promise<string[]> {
    let text = (await this.headerLine()).replace(/^\ufeff/, '');
    if (text === '') text = await this.headerLine();
    const named = SEPARATOR_LINE.exec(text)?.[1];
    if (named !== undefined) text = await this.headerLine();
    const separator = named ?? FIRST_SEPARATOR.exec(text)?.[1] ?? ',';
    if (separator !== ',' && separator !== ';' && separator !== '\t')
      throw new SyntaxError(`"sep=${separator}" names another separator`);
    this.separator = separator;
    this.ends.separateBy(separator);
    const header = cellsIn(text, separator, MAX_COLUMNS);
    if (header.length > MAX_COLUMNS) throw new SyntaxError(`it has more than ${MAX_COLUMNS} columns`);
    return header;
  }

  private async headerLine(): Promise<string> {
    const [line] = (await this.lines.next(1)) ?? [];
    if (line === undefined) throw new SyntaxError('it is empty');
    if (line.bytes === null) throw new SyntaxError(`its first row is longer than ${MAX_EXPORTED_BYTES} bytes`);
    const text = this.textOf(line.bytes) ?? fail(NOT_UTF8);
    this.breaks += breaksIn(text);
    return text;
  }

  private rowOf({ number: index, bytes }: Line): NumberedRow[] {
    const first = index + this.breaks;
    if (bytes === null) {
      const detail = `The row that begins in line ${first} is longer than ${MAX_EXPORTED_BYTES} bytes; a quotation mark that is not closed has the same effect.`;
      throw new Problem('BODY_TOO_LARGE', detail);
    }
    const text = this.textOf(bytes);
    this.breaks += breaksIn(text ?? bytes.toString('latin1').replace(/\r$/, ''));
    const number = index + this.breaks;
    if (text === null) return [{ number, row: invalidRow(NOT_UTF8) }];
    let cells: string[];
    try {
      cells = cellsIn(text, this.separator, this.columns.length);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const problem = invalidRow(`in the row that begins in line ${first}, ${error.message}`);
      if (error instanceof UnclosedMark || breaksIn(text) > 0) throw problem;
      return [{ number, row: problem }];
    }
    if (cells.every((cell) => cell.trim() === '') && cells.length <= this.columns.length) return [];
    if (cells.length !== this.columns.length)
      return [{ number, row: invalidRow('the row has more or fewer cells than there are columns') }];
    if (cells.some((cell, at) => this.columns[at] === null && cell.trim() !== ''))
      return [{ number, row: invalidRow('the row has a text in a column without a name') }];
    const named = this.columns.flatMap((column, at) => (typeof column === 'string' ? [[column, cells[at] ?? '']] : []));
    return [{ number, row: Object.fromEntries(named) as Row }];
  }

  private textOf(bytes: Buffer): string | null {
    try {
      return decode(bytes, this.body.charset).replace(/\r$/, '');
    } catch {
      return null;
    }
  }
}

function breaksIn(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}

function fail(detail: string): never {
  throw new SyntaxError(detail);
}

function invalidRow(detail: string): Problem {
  return new Problem('INVALID_REQUEST', `The file is not CSV: ${detail}.`);
}
