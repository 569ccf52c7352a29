import { Controller, Headers, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidQuery } from '../../http/validation/request-validation.js';
import { KeyValidity } from '../../access/key-reads.js';
import { Context } from '../../access/current-principal.js';
import type { RequestContext } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ApiIdempotencyKey } from '../../http/headers/idempotency-key.js';
import { preferenceApplied, readPreferences } from '../../http/headers/prefer.js';
import { type RawLine, openLines } from '../../http/lines/line-source.js';
import { type StreamLog, lineProblem, respondInLines } from '../../http/body/ndjson-response.js';
import { LineOperation } from '../../http/lines/line-operation.js';
import { inOwnTurns } from '../../http/body/own-turn.js';
import { sendStream, streamLog } from '../../http/body/send-stream.js';
import { NDJSON, streamedBody } from '../../http/body/streamed-body.js';
import { ApiTags } from '../../openapi/annotations.js';
import { ApiProblems } from '../../problem/api-problems.js';
import { Problem } from '../../problem/problem.js';
import { BulkQueryDto, MintItemDto, MintLineDto, readItem } from './batch.dto.js';
import { MintPresenter, type ResultStyle } from './mint-presenter.js';
import { BulkService, type LineResult, type ReadyLine, type ReceivedLine } from '../../bulk/bulk.service.js';

const PATH = '/identifiers/bulk';

const CHUNK_LINES = 500;

@ApiTags('identifiers')
@Controller('identifiers')
export class BulkController {
  constructor(
    private readonly bulk: BulkService,
    private readonly presenter: MintPresenter,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * Mint or register a stream of identifiers
   * @remarks Reads one mint request from each line, for any number of lines, and returns one result for each line, in the same order and
   * while the request continues. A line is durable when its result is sent. Blank lines are numbered but produce no result. A line has at
   * most 64 KiB. After an interruption, send all lines again with the same `Idempotency-Key`; no line gets a second identifier. If the
   * stream cannot continue, its last line is a `StreamEnd`, which has `"final": true`.
   */
  @Post('bulk')
  @Requires('mint', 'register')
  @HttpCode(HttpStatus.OK)
  @ApiIdempotencyKey()
  @LineOperation(MintItemDto, MintLineDto, null, 'return=minimal', 'summary')
  @ApiProblems('INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY', 'UNSUPPORTED_MEDIA_TYPE')
  async mint(
    @ValidQuery() { namingAuthority }: BulkQueryDto,
    @Context() context: RequestContext,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = streamedBody(request, NDJSON);
    const log = streamLog(request);
    const lineFailed = (error: unknown, line: number): Problem => lineProblem(error, line, log);
    const settings = { ...context, namingAuthority, lineFailed };
    const next = await openLines(body, CHUNK_LINES);
    const { isMinimal, hasSummary } = readPreferences(prefer);
    const results = respondInLines<ReadyLine[]>(body, {
      path: PATH,
      read: async () => {
        const raw = await next();
        return raw === null ? null : this.bulk.prepare(await inOwnTurns(raw, (line) => readLine(line, log)), settings);
      },
      permit: () => this.keys.require(context.principal),
      work: async (lines) =>
        this.present(await this.bulk.mint(lines, settings), {
          principal: context.principal,
          instance: PATH,
          isMinimal,
        }),
      lastLine: (lines) => lines.at(-1)?.line ?? 0,
      log,
      hasSummary,
    });
    void reply.headers(preferenceApplied({ isMinimal, hasSummary }));
    sendStream(request, reply.status(HttpStatus.OK).type(NDJSON), results);
  }

  private async *present(results: readonly LineResult[], style: ResultStyle): AsyncGenerator<MintLineDto[]> {
    const lines = results.values();
    for await (const part of this.presenter.results(results, style)) {
      yield part.map((result) => ({ line: lines.next().value?.line ?? 0, ...result }));
    }
  }
}

function readLine({ number: line, value }: RawLine, log: StreamLog): ReceivedLine {
  try {
    return { line, ...readItem(value()) };
  } catch (error) {
    return { line, clientRef: null, request: lineProblem(error, line, log), value: null };
  }
}
