import { Controller, Headers, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { maxLength } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Context, clientOf } from '../../access/current-principal.js';
import { KeyValidity } from '../../access/key-reads.js';
import type { RequestContext } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ChangeStreamService, type ReadyChunk } from '../../changing/change-stream.service.js';
import type { ReceivedChange } from '../../changing/change-line.js';
import { ApiIdempotencyKey } from '../../http/headers/idempotency-key.js';
import { preferenceApplied, readPreferences } from '../../http/headers/prefer.js';
import { type RawLine, openLines } from '../../http/lines/line-source.js';
import { type StreamLog, lineProblem, respondInLines } from '../../http/body/ndjson-response.js';
import { LineOperation } from '../../http/lines/line-operation.js';
import { inOwnTurns } from '../../http/body/own-turn.js';
import { sendStream, streamLog } from '../../http/body/send-stream.js';
import { CSV, NDJSON, streamedBody } from '../../http/body/streamed-body.js';
import { ValidQuery, readPart } from '../../http/validation/request-validation.js';
import { ApiTags } from '../../openapi/annotations.js';
import { ApiProblems } from '../../problem/api-problems.js';
import { ChangeLineDto, ChangeResultDto, ChangesQueryDto } from './change.dto.js';
import { CHANGE_COLUMNS, readRow } from './change-columns.js';
import { CHUNK_LINES, inChunks } from '../../http/lines/line-chunks.js';
import { ChangePresenter } from './change-presenter.js';

const PATH = '/identifiers/changes';

@ApiTags('identifiers')
@Controller('identifiers')
export class ChangesController {
  constructor(
    private readonly changes: ChangeStreamService,
    private readonly presenter: ChangePresenter,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * Change a stream of identifiers
   * @remarks Reads one change from each line of NDJSON or CSV, for any number of lines, and returns one result for each line, in the same
   * order and while the request continues. Each line changes, withdraws, reinstates or activates one identifier, by the rules of the
   * requests that change one identifier. A line that fails does not stop the other lines. Each group of 100 lines (1 to 100, 101 to 200 and
   * so on) is one transaction, or several if it has more than 1 MiB. A line is durable when its result is sent. After an interruption, send
   * all lines again with the same `Idempotency-Key`. Lines that were already processed return the same outcome, and no change is applied
   * twice. With `dryRun=true`, the results say what would happen, with the old and the new values, and nothing is changed. A dry run that
   * changes more than 32 MiB of records (about 50,000) ends with a `StreamEnd` with the status 413. A line without `identifier` names its
   * identifier by `metadataId`, under the naming authority of the line or of the request. In CSV, an empty cell sets nothing, alternate
   * identifiers share one cell, separated by spaces, and a withdrawal has the columns `withdrawalReasonCode`, `withdrawalReason` and
   * `replacedBy`. A line with `activate` activates a reserved identifier, which may be part of a reservation, with the values of the line.
   * If the stream cannot continue, its last line is a `StreamEnd`, which has `"final": true`.
   */
  @Post('changes')
  @Requires('curate')
  @HttpCode(HttpStatus.OK)
  @ApiIdempotencyKey()
  @LineOperation(ChangeLineDto, ChangeResultDto, CHANGE_COLUMNS, 'return=minimal', 'summary')
  @ApiProblems('INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY', 'UNSUPPORTED_MEDIA_TYPE')
  async changeIdentifiers(
    @ValidQuery() { dryRun, columns, namingAuthority }: ChangesQueryDto,
    @Context() context: RequestContext,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { principal } = context;
    const body = streamedBody(request, NDJSON, CSV);
    const log = streamLog(request);
    // The header line is read before the response starts, so that an invalid line can still set the status.
    const next = inChunks(await openLines(body, CHUNK_LINES, { columns: CHANGE_COLUMNS, map: columns, readRow }));
    const { isMinimal, hasSummary } = readPreferences(prefer);
    const earlier = this.changes.startDryRun(clientOf(request));
    const results = respondInLines<ReadyChunk>(body, {
      path: PATH,
      read: async () => {
        const chunk = await next();
        if (chunk === null) return null;
        const lines = await inOwnTurns(chunk.lines, (line) => readLine(line, namingAuthority, log));
        return this.changes.prepare({ ...chunk, lines }, principal);
      },
      permit: () => this.keys.require(principal),
      work: async (chunk) => {
        const lines = dryRun
          ? await this.changes.preview(chunk, earlier, principal)
          : await this.changes.change(chunk, context);
        return this.presenter.results(lines, { principal, instance: PATH, isMinimal: isMinimal || dryRun });
      },
      lastLine: ({ lines }) => lines.at(-1)?.line ?? 0,
      end: () => {
        earlier.end();
      },
      log,
      hasSummary,
    });
    void reply.headers(preferenceApplied({ isMinimal: isMinimal && !dryRun, hasSummary }));
    sendStream(request, reply.status(HttpStatus.OK).type(NDJSON), results);
  }
}

function readLine(
  { number, value, content }: RawLine,
  namingAuthority: string | undefined,
  log: StreamLog,
): ReceivedChange {
  let clientRef: string | undefined;
  try {
    const sent = value();
    clientRef = clientRefOf(sent);
    const read = readPart(ChangeLineDto, sent);
    const isNamed = read.identifier === undefined && namingAuthority !== undefined;
    const request = isNamed ? { ...read, namingAuthority: read.namingAuthority ?? namingAuthority } : read;
    return { line: number, clientRef, request, content };
  } catch (error) {
    return { line: number, clientRef, request: lineProblem(error, number, log), content };
  }
}

/** Reads `clientRef` even from an invalid line, so that the client can match the result to the line. */
function clientRefOf(value: unknown): string | undefined {
  const { clientRef } = typeof value === 'object' && value !== null ? (value as Partial<ChangeLineDto>) : {};
  return typeof clientRef === 'string' && maxLength(clientRef, 255) ? clientRef : undefined;
}
