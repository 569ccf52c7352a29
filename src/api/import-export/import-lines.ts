import { readJsonBody } from '../../http/body/json-body.js';
import { LineReader, MAX_LINE_OCTETS } from '../../http/body/line-reader.js';
import { CSV, type StreamedBody } from '../../http/body/streamed-body.js';
import { RowReader } from '../../http/csv/row-reader.js';
import { Problem } from '../../problem/problem.js';
import { IMPORT_HEADER } from './import-columns.js';
import { isListRow, readRow } from './csv.js';

/** Most lines that one statement imports. */
const CHUNK_LINES = 500;

/** A line of an import before it is parsed. */
export interface RawLine {
  readonly number: number;
  /** @throws Problem MALFORMED_JSON, BODY_TOO_LARGE or INVALID_REQUEST */
  readonly value: () => unknown;
  /** Attributes that must be equal in a registered identifier; all when absent. */
  readonly compared?: readonly string[];
}

/** @returns the next lines; null at the end. */
export type NextLines = () => Promise<RawLine[] | null>;

/** Opens the lines of a body. @throws Problem INVALID_REQUEST for a CSV whose header is none of an import. */
export async function openLines(body: StreamedBody): Promise<NextLines> {
  return body.mediaType === CSV ? rowsOf(await RowReader.open(body, IMPORT_HEADER)) : linesOf(new LineReader(body));
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
      ...(!(row instanceof Problem) && isListRow(row) && { compared: [...Object.keys(row), 'state'] }),
    })) ?? null;
}
