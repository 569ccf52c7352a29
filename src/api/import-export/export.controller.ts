import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Headers, HttpStatus, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { CurrentPrincipal } from '../../access/current-principal.js';
import { Places, holderOf } from '../../access/limits/places.js';
import type { Principal } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { streamEnd } from '../../http/body/stream-summary.dto.js';
import { sendStream } from '../../http/body/send-stream.js';
import { CSV, JSON_LINES, NDJSON } from '../../http/body/streamed-body.js';
import { ValidQuery, withQueryPointers } from '../../http/validation/request-validation.js';
import { SYNTAX_CODES } from '@mintmark/identifier';
import { ApiHeader, ApiResponse, ApiTags, TEXT, getSchemaPath, textHeader } from '../../openapi/annotations.js';
import { ApiProblems } from '../../problem/api-problems.js';
import { Problem } from '../../problem/problem.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { BYTE_ORDER_MARK, columnsIn, writeHeader, writeRow } from './transfer-columns.js';
import { ExportQueryDto } from './export-query.dto.js';
import { ExportService } from '../../import-export/export.service.js';
import { type TransferLine, lineOf } from './transfer-presenter.js';

const PATH = '/identifiers/export';

/** Number of characters after which a chunk is sent. */
const MAX_TEXT = 65_536;

/** Maximum time for the client to read the last line of an aborted export, in milliseconds. */
const FLUSH_MS = 5000;
const FLUSH_INTERVAL_MS = 20;

interface Format {
  readonly contentType: string;
  readonly file: string;
  readonly head: string;
  readonly write: (line: TransferLine) => string;
  readonly reject: (problem: Problem, line: number) => string;
}

const LINES: Format = {
  contentType: NDJSON,
  file: 'identifiers.ndjson',
  head: '',
  write: (line) => `${JSON.stringify(line)}\n`,
  reject: (problem, line) => `${JSON.stringify(streamEnd(problem, line, PATH))}\n`,
};

function csvFormat({ columns, delimiter = ',', excel }: CsvQuery): Format {
  const form = { columns: columnsIn(columns), delimiter };
  return {
    contentType: `${CSV}; charset=utf-8; header=present`,
    file: 'identifiers.csv',
    head: `${excel === true ? BYTE_ORDER_MARK : ''}${writeHeader(form)}`,
    write: (line) => writeRow(line, form),
    // CSV has no row for a problem.
    reject: () => '',
  };
}

const LINE_SCHEMA = { anyOf: ['TransferLineDto', 'StreamEndDto'].map((dto) => ({ $ref: getSchemaPath(dto) })) };

type CsvQuery = { readonly [name in 'columns' | 'delimiter' | 'excel']: ExportQueryDto[name] };

@ApiTags('identifiers')
@Controller('identifiers')
export class ExportController {
  constructor(
    private readonly exports: ExportService,
    private readonly places: Places,
  ) {}

  /**
   * Export identifiers
   * @remarks Returns all identifiers that match the filter, including reserved and withdrawn ones, in order of minting: as NDJSON, or as
   * CSV (RFC 4180) with `Accept: text/csv`, `columns`, `delimiter` or `excel=true`. In CSV, every cell is quoted, alternate identifiers
   * share one cell, separated by spaces, and stored Handle values are JSON in one cell. Values that are not public are exported only for
   * keys with the scope `admin` for the naming authority; `hiddenValues` is the number of values that are left out. To prevent formula
   * injection in spreadsheets, an apostrophe precedes every cell that begins with `=`, `+`, `-`, `@` (or their full-width forms), a tab, a
   * line break or an apostrophe, and every formula after a `;`, a tab or a line break. An import removes the apostrophe. An aborted export
   * ends without the final HTTP chunk. If the key has expired or has been revoked, the last line of NDJSON is a `StreamEnd`.
   */
  @Get('export')
  @Requires('read')
  @ApiHeader({
    name: 'Accept',
    required: false,
    description:
      'Send `text/csv` for CSV; `columns`, `delimiter` and `excel=true` also select CSV. Otherwise, the response is NDJSON, with the media type `application/jsonl` if the client prefers it.',
    ...TEXT,
  })
  @ApiResponse({
    status: 200,
    description: 'One JSON object on each line.',
    headers: {
      'Content-Disposition': textHeader('The name of the file (RFC 6266).'),
      Vary: textHeader('`Accept`, if the response depends on it.'),
    },
    content: {
      [NDJSON]: { schema: LINE_SCHEMA },
      [JSON_LINES]: { schema: LINE_SCHEMA },
      [CSV]: TEXT,
    },
  })
  @ApiProblems('INVALID_REQUEST', 'NOT_ACCEPTABLE', ...SYNTAX_CODES)
  async export(
    @ValidQuery() { columns, delimiter, excel, ...filter }: ExportQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Headers('accept') accept: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const format = formatFor(accept, { columns, delimiter, excel });
    const found = this.exports.pages(filter, principal, () => !reply.raw.closed);
    const pages = this.places.parts(holderOf(request, reply), found);
    // The first page is read before the response starts, so that errors of the query or the database still have a status.
    const first = (await withQueryPointers(pages.next())).value ?? [];
    void reply
      .status(HttpStatus.OK)
      .headers({
        'content-disposition': `attachment; filename="${format.file}"`,
        vary: 'accept',
        'cache-control': 'no-store',
      })
      .type(format.contentType);
    const written = (record: IdentifierRecord): string => {
      const isComplete = principal.has('admin') && principal.covers(record.namingAuthority);
      return format.write(lineOf(record, principal.redact(record), isComplete));
    };
    sendStream(request, reply, write(format, written, first, pages, reply.raw));
  }
}

async function* write(
  { head, reject }: Format,
  written: (record: IdentifierRecord) => string,
  first: IdentifierRecord[],
  pages: AsyncIterable<IdentifierRecord[]>,
  response: ServerResponse,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  // The records are counted first, because `inChunks` empties the page.
  let count = first.length;
  yield* inChunks(first, written);
  try {
    for await (const page of pages) {
      count += page.length;
      yield* inChunks(page, written);
    }
  } catch (error) {
    if (error instanceof Problem) {
      yield reject(error, count + 1);
      await flushed(response);
    }
    // Throwing leaves the response incomplete, so that the client detects the abort.
    throw error;
  }
}

/**
 * Writes a page in short chunks, even if its records are large, because Node buffers two chunks for a client that does not read. Removes
 * each record from its page, because a suspended generator would keep the page in memory while the stream waits (see `Places`).
 */
function* inChunks(page: IdentifierRecord[], written: (record: IdentifierRecord) => string): Generator<string> {
  let text = '';
  for (const record of page.splice(0)) {
    text += written(record);
    if (text.length < MAX_TEXT) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Waits until the operating system has the data, so that the following error does not discard it. */
async function flushed(response: ServerResponse): Promise<void> {
  const end = performance.now() + FLUSH_MS;
  do await pause(FLUSH_INTERVAL_MS);
  while (response.writableLength > 0 && !response.destroyed && performance.now() < end);
}

function formatFor(accept: string | undefined, query: CsvQuery): Format {
  const isCsv = query.excel === true || query.columns !== undefined || query.delimiter !== undefined;
  const offered = isCsv ? [CSV] : [NDJSON, JSON_LINES, CSV];
  const chosen = new Negotiator({ headers: accept === undefined ? {} : { accept } }).mediaType(offered);
  if (chosen === NDJSON || chosen === JSON_LINES) return { ...LINES, contentType: chosen };
  if (chosen === CSV) return csvFormat(query);
  throw new Problem(
    'NOT_ACCEPTABLE',
    `This export is available as ${offered.join(' or ')}. Send one of these media types in Accept.`,
  );
}
