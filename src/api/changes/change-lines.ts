import { readJsonBody } from '../../http/body/json-body.js';
import { LineReader, MAX_LINE_OCTETS } from '../../http/body/line-reader.js';
import { CSV, type StreamedBody } from '../../http/body/streamed-body.js';
import { headerRules } from '../../http/csv/columns.js';
import { RowReader } from '../../http/csv/row-reader.js';
import { Problem, invalidRequest } from '../../problem/problem.js';
import { CHANGE_COLUMNS, readRow } from './change-columns.js';

/** Lines of one transaction, because its locks delay other changes and later events. */
export const CHUNK_LINES = 100;

/** Octets of the lines of a chunk, in memory until it is changed. */
const MAX_CHUNK_OCTETS = 1_048_576;

/** A line of a stream of changes before it is validated. */
export interface RawLine {
  /** Counted from 1. */
  readonly number: number;
  readonly octets: number;
  /** @throws Problem MALFORMED_JSON, BODY_TOO_LARGE or INVALID_REQUEST */
  readonly value: () => unknown;
  /** The content of a line that cannot be parsed, for its fingerprint. */
  readonly content: () => string;
}

/** @returns lines in the order of their numbers, at least one; null at the end. */
export type NextLines = () => Promise<readonly RawLine[] | null>;

/**
 * Opens the lines of a body.
 * @param columns the map of the columns of a CSV.
 * @throws Problem INVALID_REQUEST for a CSV whose header has other columns, and for a map with NDJSON.
 */
export async function openLines(body: StreamedBody, columns: string | undefined): Promise<NextLines> {
  if (body.mediaType === CSV) return rowsOf(await RowReader.open(body, headerRules(CHANGE_COLUMNS, columns)));
  if (columns === undefined) return linesOf(new LineReader(body));
  throw invalidRequest('#query/columns', 'columns is for text/csv; the members of NDJSON have the names of the API');
}

function linesOf(lines: LineReader): NextLines {
  return async () =>
    (await lines.next(CHUNK_LINES))?.map(({ number, octets }) => ({
      number,
      octets: octets?.length ?? 0,
      value: () =>
        octets === null ? tooLong(`The line is longer than ${MAX_LINE_OCTETS} octets.`) : readJsonBody(octets),
      content: () => octets?.toString('latin1') ?? '',
    })) ?? null;
}

function rowsOf(rows: RowReader): NextLines {
  return async () =>
    (await rows.next(CHUNK_LINES))?.map(({ number, row }) => ({
      number,
      octets: row instanceof Problem ? 0 : Object.values(row).reduce((sum, cell) => sum + cell.length, 0),
      value: () => {
        if (row instanceof Problem) throw row;
        return readRow(row);
      },
      content: () => JSON.stringify(row instanceof Problem ? row.detail : row),
    })) ?? null;
}

/**
 * Divides lines into chunks by their numbers only (1 to 100, 101 to 200 and so on), never by their arrival, so that a repeat of
 * a stream has the same chunks. Lines that make a chunk too large are refused.
 */
export function inChunks(read: NextLines): () => Promise<readonly RawLine[] | null> {
  const pending: RawLine[] = [];
  const bounded = withinChunks();
  let isOver = false;
  return async () => {
    for (;;) {
      const [first] = pending;
      if (first === undefined && isOver) return null;
      const last = first === undefined ? 0 : lastLineOf(first);
      const end = pending.findIndex(({ number }) => number > last);
      const isComplete = isOver || end >= 0 || pending.at(-1)?.number === last;
      if (first !== undefined && isComplete) return pending.splice(0, end < 0 ? pending.length : end);
      const more = await read();
      if (more === null) isOver = true;
      else pending.push(...more.map(bounded));
    }
  };
}

/** The number of a chunk, from 0. */
export function partOf({ number }: Pick<RawLine, 'number'>): number {
  return Math.floor((number - 1) / CHUNK_LINES);
}

function lastLineOf(line: Pick<RawLine, 'number'>): number {
  return (partOf(line) + 1) * CHUNK_LINES;
}

/** Replaces the lines that exceed the octets of their chunk, without keeping them in memory. */
function withinChunks(): (line: RawLine) => RawLine {
  let part = -1;
  let octets = 0;
  return (line) => {
    if (partOf(line) !== part) [part, octets] = [partOf(line), 0];
    octets += line.octets;
    if (octets <= MAX_CHUNK_OCTETS) return line;
    const { number } = line;
    const detail = `The lines ${part * CHUNK_LINES + 1} to ${number} have more than ${MAX_CHUNK_OCTETS} octets together. Send this line in another request.`;
    return { number, octets: 0, value: () => tooLong(detail), content: () => detail };
  };
}

function tooLong(detail: string): never {
  throw new Problem('BODY_TOO_LARGE', detail);
}
