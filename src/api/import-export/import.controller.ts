import { Controller, Headers, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../../access/current-principal.js';
import type { Principal } from '../../access/principal.js';
import { KeyValidity } from '../../access/key-reads.js';
import { Requires } from '../../access/requires.js';
import { preferenceApplied, readPreferences } from '../../http/headers/prefer.js';
import { type RawLine, openLines } from '../../http/lines/line-source.js';
import { type StreamLog, lineProblem, respondInLines } from '../../http/body/ndjson-response.js';
import { MAX_EXPORTED_BYTES, MAX_LINE_BYTES } from '../../http/body/line-reader.js';
import { FileQueryDto } from '../../http/csv/file-query.dto.js';
import { LineOperation } from '../../http/lines/line-operation.js';
import { inOwnTurns } from '../../http/body/own-turn.js';
import { sendStream, streamLog } from '../../http/body/send-stream.js';
import { ValidQuery, readPart } from '../../http/validation/request-validation.js';
import { CSV, NDJSON, streamedBody } from '../../http/body/streamed-body.js';
import { ApiTags } from '../../openapi/annotations.js';
import { ApiProblems } from '../../problem/api-problems.js';
import { rejection } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import { IMPORT_COLUMNS, readRow } from './transfer-columns.js';
import { comparedIn } from './transfer-presenter.js';
import {
  ImportService,
  type LineResult,
  type ReadyLine,
  type ReceivedLine,
} from '../../import-export/import.service.js';
import { ImportResultDto, TransferLineDto } from './transfer-line.dto.js';

const PATH = '/identifiers/import';

const CHUNK_LINES = 500;

/** Number of results that are presented in one turn. */
const PRESENTED_TOGETHER = 100;

@ApiTags('identifiers')
@Controller('identifiers')
export class ImportController {
  private longLines: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly imports: ImportService,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * Import an export
   * @remarks Reads the NDJSON or CSV of `GET /identifiers/export`, of any length, and registers each identifier with its state, version,
   * times, lease and tombstone. The response has one result for each line, in the same order. A line whose identifier is already registered
   * with the same values is `unchanged`, and a line that contradicts a registered identifier fails with 409. The naming authorities must
   * exist. The header line of a CSV determines the separator of cells: `,`, `;` or a tab. The columns may be in any order, in upper or
   * lower case. Only `identifier` is required. A line that lacks `state`, `version`, `createdAt` or `updatedAt` is treated as part of a
   * plain list, such as `identifier,target`: by default, its identifier is active and has version 1 and the time of the import, and the
   * line is `unchanged` if the registered identifier has the same state and the values of the line. Without a `target`, the target template
   * applies. With `dryRun=true`, the results say what an import of each line alone would do, and nothing is imported. If the stream cannot
   * continue, its last line is a `StreamEnd`, which has `"final": true`.
   */
  @Post('import')
  @Requires('admin')
  @HttpCode(HttpStatus.OK)
  @LineOperation(TransferLineDto, ImportResultDto, IMPORT_COLUMNS, 'summary')
  @ApiProblems('INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE')
  async import(
    @ValidQuery() { dryRun, columns }: FileQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = streamedBody(request, NDJSON, CSV);
    const log = streamLog(request);
    const lineFailed = (error: unknown, line: number): Problem => lineProblem(error, line, log);
    // The header line is read before the response starts, so that an invalid line can still set the status.
    const csv = { columns: IMPORT_COLUMNS, map: columns, readRow };
    const next = await openLines(body, CHUNK_LINES, csv, MAX_EXPORTED_BYTES);
    const { hasSummary } = readPreferences(prefer);
    const context = { principal, lineFailed };
    const prepare = async (raw: readonly RawLine[]): Promise<ReadyLine[]> =>
      this.imports.prepare(await inOwnTurns(raw, (line) => readLine(line, log)), context);
    const work = async (lines: readonly ReadyLine[]) =>
      dryRun ? this.imports.preview(lines, context) : this.imports.import(lines, context);
    const results = respondInLines<ReceivedLines>(body, {
      path: PATH,
      read: async () => {
        const raw = await next();
        if (raw === null) return null;
        const lastLine = raw.at(-1)?.number ?? 0;
        return raw.some(({ bytes }) => bytes > MAX_LINE_BYTES)
          ? { lastLine, results: () => this.alone(async () => work(await prepare(raw))) }
          : { lastLine, results: work.bind(null, await prepare(raw)) };
      },
      permit: () => this.keys.require(principal),
      work: async ({ results }) => presented(await results()),
      lastLine: ({ lastLine }) => lastLine,
      log,
      hasSummary,
    });
    void reply.headers(preferenceApplied({ hasSummary }));
    sendStream(request, reply.status(HttpStatus.OK).type(NDJSON), results);
  }

  /** Runs one task at a time, because the values of long lines take several times the memory of the lines. */
  private async alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.longLines.then(work);
    this.longLines = result.catch(() => null);
    return result;
  }
}

interface ReceivedLines {
  readonly lastLine: number;
  readonly results: () => Promise<LineResult[]>;
}

function* presented(results: readonly LineResult[]): Generator<ImportResultDto[]> {
  for (let from = 0; from < results.length; from += PRESENTED_TOGETHER)
    yield results.slice(from, from + PRESENTED_TOGETHER).map(presentLine);
}

function presentLine({ line, result }: LineResult): ImportResultDto {
  if (result instanceof Problem) return { line, ...rejection(result, PATH) };
  const { outcome, identifier } = result;
  return { line, status: outcome === 'imported' ? HttpStatus.CREATED : HttpStatus.OK, identifier, outcome };
}

function readLine({ number: line, value }: RawLine, log: StreamLog): ReceivedLine {
  try {
    const sent = value();
    const request = readPart(TransferLineDto, sent);
    return { line, request, compared: comparedIn(sent as object) };
  } catch (error) {
    return { line, request: lineProblem(error, line, log) };
  }
}
