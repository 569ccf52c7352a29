import { Readable } from 'node:stream';
import { Controller, Get, Headers, HttpStatus, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { CSV, NDJSON } from '../http/streamed-body.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiResponse, ApiTags, getSchemaPath } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { Problem } from '../problem/problem.js';
import { SelectionDto } from '../selection/selection.dto.js';
import { HEADER, writeRows } from './csv.js';
import { ExportService } from './export.service.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/** How identifiers are written, the preferred form first. */
const FORMATS = {
  [NDJSON]: {
    contentType: NDJSON,
    file: 'identifiers.ndjson',
    head: '',
    write: (lines: readonly TransferLineDto[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  },
  [CSV]: {
    contentType: `${CSV}; charset=utf-8; header=present`,
    file: 'identifiers.csv',
    head: HEADER,
    write: writeRows,
  },
} as const;

type Format = (typeof FORMATS)[keyof typeof FORMATS];

@ApiTags('identifiers')
@Controller('identifiers')
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  /**
   * Export identifiers
   * @remarks
   * All identifiers of a selection, reserved and withdrawn ones too, in order of minting: as NDJSON, or as CSV (RFC 4180) with
   * `Accept: text/csv`. In CSV alternates stand in one cell with spaces between, and a cell that begins with `=`, `+`, `-`, `@`,
   * a tab, a carriage return or an apostrophe gets an apostrophe before it, so that no spreadsheet runs it. An export that
   * breaks off ends without the last chunk of HTTP.
   */
  @Get('export')
  @Requires('read')
  @ApiResponse({
    status: 200,
    description: 'One of these a line.',
    content: {
      [NDJSON]: { schema: { $ref: getSchemaPath('TransferLineDto') } },
      [CSV]: { schema: { type: 'string' } },
    },
  })
  @ApiProblems('INVALID_REQUEST', 'NOT_ACCEPTABLE', ...SYNTAX_CODES)
  async export(
    @Query() selection: SelectionDto,
    @CurrentCaller() caller: Caller,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const format = formatFor(accept);
    const pages = this.exports.pages(selection, caller);
    // What is wrong with the query or the database is found before the answer begins.
    const first = (await pages.next()).value ?? [];
    void reply
      .status(HttpStatus.OK)
      .headers({
        'content-disposition': `attachment; filename="${format.file}"`,
        vary: 'accept',
        'cache-control': 'no-store',
      })
      .type(format.contentType)
      .send(Readable.from(write(format, first, pages), { objectMode: false }));
  }
}

async function* write(
  { head, write: rows }: Format,
  first: readonly TransferLineDto[],
  pages: AsyncIterable<TransferLineDto[]>,
): AsyncGenerator<string> {
  if (head !== '' || first.length > 0) yield head + rows(first);
  for await (const page of pages) if (page.length > 0) yield rows(page);
}

/** @throws Problem NOT_ACCEPTABLE */
function formatFor(accept: string | undefined): Format {
  const offered = [NDJSON, CSV] as const;
  const chosen = new Negotiator({ headers: accept === undefined ? {} : { accept } }).mediaType([...offered]);
  const found = offered.find((mediaType) => mediaType === chosen);
  if (found !== undefined) return FORMATS[found];
  throw new Problem('NOT_ACCEPTABLE', `An export is written as ${offered.join(' or ')}: send one of them as Accept.`);
}
