import { CsvError, type Parser, parse } from 'csv-parse';
import { SILENCE_AFTER_STOP_MS, type StreamedBody, shuttingDown } from '../../http/body/streamed-body.js';
import { Problem } from '../../problem/problem.js';
import { COLUMNS, type Row } from './csv.js';
import { readStart } from './delimiter.js';

/** Longest row that is read, in characters. */
const MAX_ROW = 131_072;

export interface NumberedRow {
  readonly number: number;
  /** INVALID_REQUEST for a row that has more or fewer cells than there are columns. */
  readonly row: Row | Problem;
}

/** A record of the parser, with the number of records so far whose cells are too many or too few. */
interface ParsedRow {
  readonly info: { readonly lines: number; readonly invalid_field_length: number };
  readonly record: Row;
}

type Rows = AsyncIterator<ParsedRow>;

/**
 * Reads the rows of a CSV file (RFC 4180) as they arrive, with back-pressure. The header line determines the delimiter:
 * `,`, `;` or a tab.
 */
export class RowReader {
  private failure: Error | null = null;
  private rows: Rows | null = null;
  private invalidRows = 0;

  constructor(private readonly body: StreamedBody) {
    // The caller of `next` gets the error; without a listener it would end the process.
    body.octets.on('error', () => {});
  }

  /**
   * @returns up to `most` rows; null at the end.
   * @throws Problem INVALID_REQUEST for a file that is not a CSV export, SHUTTING_DOWN when the service stops and the
   * file is incomplete.
   */
  async next(most: number): Promise<NumberedRow[] | null> {
    this.body.requireTime();
    if (this.failure !== null) throw this.failure;
    const rows: NumberedRow[] = [];
    try {
      while (rows.length < most) {
        this.rows ??= await openRows(this.body);
        const next = await this.rows.next();
        if (next.done === true) return rows.length > 0 ? rows : null;
        rows.push(this.numbered(next.value));
      }
      return rows;
    } catch (error) {
      this.failure = error instanceof CsvError ? unreadable(error.message) : (error as Error);
      // Return the rows before the failure first; the next call throws it.
      if (rows.length > 0) return rows;
      throw this.failure;
    }
  }

  private numbered({ info, record }: ParsedRow): NumberedRow {
    const isInvalid = info.invalid_field_length > this.invalidRows;
    this.invalidRows = info.invalid_field_length;
    const row = isInvalid ? unreadable('the row has more or fewer cells than there are columns') : record;
    return { number: info.lines, row };
  }
}

async function openRows(body: StreamedBody): Promise<Rows> {
  const { octets, drain } = body;
  const start = await readStart(octets, drain.halfOver);
  const parser = parse({
    bom: true,
    delimiter: start.delimiter,
    info: true,
    max_record_size: MAX_ROW,
    skip_empty_lines: true,
    relax_column_count: true,
    columns: requireColumns,
  });
  // The caller of `next` gets the error; without a listener it would end the process.
  parser.on('error', () => {});
  parser.write(start.octets);
  // Not a pipeline, which would close the connection before the client has the problem.
  if (octets.readableEnded) parser.end();
  else if (octets.destroyed) parser.destroy(hungUp());
  else octets.pipe(parser);
  octets.once('close', () => {
    if (!octets.complete) parser.destroy(hungUp());
  });
  const onStop = () => {
    endWhenSilent(body, parser);
  };
  if (drain.stopping.aborted) onStop();
  else drain.stopping.addEventListener('abort', onStop);
  octets.once('close', () => {
    drain.stopping.removeEventListener('abort', onStop);
  });
  return (parser as AsyncIterable<ParsedRow>)[Symbol.asyncIterator]();
}

function hungUp(): Error {
  return new Error('the client closed the connection');
}

/** Ends a parser when the service stops and the rest of its file does not arrive. */
function endWhenSilent({ octets, drain }: StreamedBody, parser: Parser): void {
  let seen = -1;
  const timer = setInterval(() => {
    const { bytesRead } = octets.socket;
    const isIdle = parser.readableLength + parser.writableLength + octets.readableLength === 0 && bytesRead === seen;
    seen = bytesRead;
    if (!octets.complete && (isIdle || drain.halfOver.aborted)) parser.destroy(shuttingDown());
    if (octets.complete || parser.destroyed) clearInterval(timer);
  }, SILENCE_AFTER_STOP_MS);
}

function requireColumns(header: string[]): string[] {
  const known: readonly string[] = COLUMNS;
  const strange = header.find((column, index) => !known.includes(column) || header.indexOf(column) < index);
  if (strange !== undefined) throw unreadable(`"${strange}" is not a column of an export, or is repeated`);
  return header;
}

function unreadable(detail: string): Problem {
  return new Problem('INVALID_REQUEST', `The file is not a CSV export: ${detail}.`);
}
