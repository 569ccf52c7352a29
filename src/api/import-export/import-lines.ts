import { readJsonBody } from '../../http/body/json-body.js';
import { LineReader, MAX_LINE_OCTETS } from '../../http/body/line-reader.js';
import { CSV, type StreamedBody } from '../../http/body/streamed-body.js';
import { headerRules } from '../../http/csv/columns.js';
import { RowReader } from '../../http/csv/row-reader.js';
import { Problem, invalidRequest } from '../../problem/problem.js';
import { IMPORT_COLUMNS, readRow } from './csv.js';

/** Most lines that one statement imports. */
const CHUNK_LINES = 500;

/** A line of an import before it is parsed. */
export interface RawLine {
  readonly number: number;
  /** @throws Problem MALFORMED_JSON, BODY_TOO_LARGE or INVALID_REQUEST */
  readonly value: () => unknown;
}

/** @returns the next lines; null at the end. */
export type NextLines = () => Promise<RawLine[] | null>;

/**
 * Opens the lines of a body.
 * @param columns the map of the columns of a CSV.
 * @throws Problem INVALID_REQUEST for a CSV whose header has other columns, and for a map with NDJSON.
 */
export async function openLines(body: StreamedBody, columns: string | undefined): Promise<NextLines> {
  if (body.mediaType === CSV) return rowsOf(await RowReader.open(body, headerRules(IMPORT_COLUMNS, columns)));
  if (columns === undefined) return linesOf(new LineReader(body));
  throw invalidRequest('#query/columns', 'columns is for text/csv; the members of NDJSON have the names of the API');
}

function linesOf(lines: LineReader): NextLines {
  return async () =>
    (await lines.next(CHUNK_LINES))?.map(({ number, octets }) => ({
      number,
      value: () => {
        if (octets !== null) return readJsonBody(octets);
        throw new Problem('BODY_TOO_LARGE', `The line is longer than ${MAX_LINE_OCTETS} octets.`);
      },
    })) ?? null;
}

function rowsOf(rows: RowReader): NextLines {
  return async () =>
    (await rows.next(CHUNK_LINES))?.map(({ number, row }) => ({
      number,
      value: () => {
        if (row instanceof Problem) throw row;
        return readRow(row);
      },
    })) ?? null;
}
