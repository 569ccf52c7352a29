import { CsvError, parse } from 'csv-parse';
import { shuttingDown } from '../http/lines.js';
import type { StreamedBody } from '../http/streamed-body.js';
import { Problem } from '../problem/problem.js';
import { COLUMNS, type Row } from './csv.js';

/** Longest row that is read, in characters. */
const MAX_ROW = 131_072;

/** A row and the line of the file where it ends. */
export interface NumberedRow {
  readonly number: number;
  readonly row: Row;
}

/** Reads the rows of a CSV file (RFC 4180) while it arrives, and no faster than they are asked for. */
export class RowReader {
  private readonly rows: AsyncIterator<{ info: { lines: number }; record: Row }>;

  constructor(private readonly body: StreamedBody) {
    const parser = parse({
      bom: true,
      info: true,
      max_record_size: MAX_ROW,
      skip_empty_lines: true,
      columns: requireColumns,
    });
    // Not by a pipeline, which would close the connection over a broken row before the client has been told of it.
    body.octets.pipe(parser);
    body.octets.once('close', () => {
      if (!body.octets.complete) parser.destroy(new Error('the client hung up'));
    });
    // Whoever asks for the next row is told; without listeners an error would end the process.
    for (const stream of [body.octets, parser]) stream.on('error', () => {});
    body.stopping.addEventListener('abort', () => parser.destroy(shuttingDown()));
    this.rows = (parser as AsyncIterable<{ info: { lines: number }; record: Row }>)[Symbol.asyncIterator]();
  }

  /**
   * @returns up to `most` rows; null when no more will come.
   * @throws Problem INVALID_REQUEST for what is no CSV of an export, SHUTTING_DOWN when the service stops.
   */
  async next(most: number): Promise<NumberedRow[] | null> {
    if (this.body.stopping.aborted) throw shuttingDown();
    const rows: NumberedRow[] = [];
    try {
      while (rows.length < most) {
        const next = await this.rows.next();
        if (next.done === true) return rows.length > 0 ? rows : null;
        rows.push({ number: next.value.info.lines, row: next.value.record });
      }
      return rows;
    } catch (error) {
      throw error instanceof CsvError ? unreadable(error.message) : error;
    }
  }
}

function requireColumns(header: string[]): string[] {
  const known: readonly string[] = COLUMNS;
  const strange = header.find((column, index) => !known.includes(column) || header.indexOf(column) < index);
  if (strange !== undefined) throw unreadable(`"${strange}" is no column of an export, or stands twice`);
  return header;
}

function unreadable(detail: string): Problem {
  return new Problem('INVALID_REQUEST', `The file is not the CSV of an export: ${detail}.`);
}
