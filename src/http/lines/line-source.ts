import { Problem, invalidRequest } from '../../problem/problem.js';
import { type FileColumns, headerRules } from '../csv/file-columns.js';
import { type Row, RowReader } from '../csv/row-reader.js';
import { readJsonBody } from '../body/json-body.js';
import { LineReader, MAX_LINE_BYTES } from '../body/line-reader.js';
import { CSV, type StreamedBody } from '../body/streamed-body.js';

/** A line of NDJSON or a row of CSV before validation. */
export interface RawLine {
  readonly number: number;
  readonly bytes: number;
  /** The line as JSON. @throws Problem MALFORMED_JSON, BODY_TOO_LARGE or INVALID_REQUEST */
  readonly value: () => unknown;
  /** The content of an unreadable line, for its fingerprint. */
  readonly content: () => string;
}

/** @returns at least one line, in the order of numbers; null at the end. */
export type NextLines = () => Promise<readonly RawLine[] | null>;

export interface FileFormat {
  readonly columns: FileColumns;
  readonly map: string | undefined;
  readonly readRow: (row: Row) => object;
}

/**
 * Opens the lines of a body. `most` limits the lines of one call; `csv` is absent for a route that reads NDJSON only.
 * @param lineBytes maximum bytes of a line of NDJSON.
 * @throws Problem INVALID_REQUEST for a CSV with unknown columns, or for a column map with NDJSON.
 */
export async function openLines(
  body: StreamedBody,
  most: number,
  csv?: FileFormat,
  lineBytes = MAX_LINE_BYTES,
): Promise<NextLines> {
  if (body.mediaType === CSV && csv !== undefined)
    return rowsOf(await RowReader.open(body, headerRules(csv.columns, csv.map)), most, csv.readRow);
  if (csv?.map === undefined) return linesOf(new LineReader(body, lineBytes), most);
  throw invalidRequest('#query/columns', 'columns is for text/csv; the members of NDJSON have the names of the API');
}

function tooLong(detail: string): never {
  throw new Problem('BODY_TOO_LARGE', detail);
}

function linesOf(lines: LineReader, most: number): NextLines {
  return async () =>
    (await lines.next(most))?.map(({ number, bytes }) => ({
      number,
      bytes: bytes?.length ?? 0,
      value: () => (bytes === null ? tooLong(`The line is longer than ${lines.maxBytes} bytes.`) : readJsonBody(bytes)),
      content: () => bytes?.toString('latin1') ?? '',
    })) ?? null;
}

function rowsOf(rows: RowReader, most: number, readRow: FileFormat['readRow']): NextLines {
  return async () =>
    (await rows.next(most))?.map(({ number, row }) => ({
      number,
      bytes: row instanceof Problem ? 0 : Object.values(row).reduce((sum, cell) => sum + Buffer.byteLength(cell), 0),
      value: () => {
        if (row instanceof Problem) throw row;
        return readRow(row);
      },
      content: () => JSON.stringify(row instanceof Problem ? row.detail : row),
    })) ?? null;
}
