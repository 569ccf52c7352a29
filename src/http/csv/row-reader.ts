import { CsvError, type Parser, parse } from 'csv-parse';
import { Problem } from '../../problem/problem.js';
import { SILENCE_AFTER_STOP_MS, type StreamedBody, shuttingDown } from '../body/streamed-body.js';
import { readStart } from './delimiter.js';

/** Characters. */
const MAX_ROW = 131_072;

/** The cells of a row by the names of their columns. */
export type Row = Readonly<Record<string, string>>;

/** What the header line of a file may be. */
export interface HeaderRules {
  /**
   * The names under which rows have their cells, in the order of the header line; false for a column that is not read.
   * @throws Problem INVALID_REQUEST for columns that the operation does not have.
   */
  readonly columnsOf: (header: readonly string[]) => (string | false)[];
  /** The problem of a file without a readable header line. */
  readonly unreadable: (detail: string) => Problem;
}

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
  private invalidRows = 0;

  private constructor(
    private readonly body: StreamedBody,
    private readonly rows: Rows,
  ) {}

  /**
   * Reads the header line.
   * @throws Problem INVALID_REQUEST for a file without one or with other columns than `rules` permits, SHUTTING_DOWN when
   * the service stops before it has arrived.
   */
  static async open(body: StreamedBody, rules: HeaderRules): Promise<RowReader> {
    // Errors are thrown by `open` and `next`; without a listener one would end the process.
    body.octets.on('error', () => {});
    return new RowReader(body, await openRows(body, rules));
  }

  /**
   * @returns up to `most` rows; null at the end.
   * @throws Problem INVALID_REQUEST for a file that is not CSV, SHUTTING_DOWN when the service stops and the file is
   * incomplete.
   */
  async next(most: number): Promise<NumberedRow[] | null> {
    this.body.requireTime();
    if (this.failure !== null) throw this.failure;
    const rows: NumberedRow[] = [];
    try {
      while (rows.length < most) {
        const next = await this.rows.next();
        if (next.done === true) return rows.length > 0 ? rows : null;
        rows.push(this.numbered(next.value));
      }
      return rows;
    } catch (error) {
      // Other errors, such as a closed connection, stay as they are.
      this.failure = error instanceof CsvError ? invalidRow(error.message) : (error as Error);
      // Return the rows before the failure first; the next call throws it.
      if (rows.length > 0) return rows;
      throw this.failure;
    }
  }

  private numbered({ info, record }: ParsedRow): NumberedRow {
    const isInvalid = info.invalid_field_length > this.invalidRows;
    this.invalidRows = info.invalid_field_length;
    const row = isInvalid ? invalidRow('the row has more or fewer cells than there are columns') : record;
    return { number: info.lines, row };
  }
}

async function openRows(body: StreamedBody, { columnsOf, unreadable }: HeaderRules): Promise<Rows> {
  const { octets, drain } = body;
  const start = await readStart(octets, drain.halfOver);
  let headerRead: () => void = () => {};
  const parser = parse({
    bom: true,
    delimiter: start.delimiter,
    info: true,
    max_record_size: MAX_ROW,
    skip_empty_lines: true,
    relax_column_count: true,
    columns: (header: string[]) => {
      const columns = columnsOf(header);
      headerRead();
      return columns;
    },
  });
  const header = new Promise<void>((resolve, reject) => {
    headerRead = resolve;
    parser.once('error', (error) => {
      reject(error instanceof CsvError ? unreadable(error.message) : error);
    });
    parser.once('finish', () => {
      reject(unreadable('it is empty'));
    });
  });
  // Awaited below; the parser may fail before that. Errors after the header are thrown by `next`.
  header.catch(() => {});
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
  await header;
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

function invalidRow(detail: string): Problem {
  return new Problem('INVALID_REQUEST', `The file is not CSV: ${detail}.`);
}
