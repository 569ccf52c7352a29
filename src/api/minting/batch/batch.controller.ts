import { setImmediate as nextTurn } from 'node:timers/promises';
import { Body, Controller, Headers, HttpCode, HttpStatus, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, CurrentPrincipal } from '../../../access/principal.js';
import { Requires } from '../../../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../../../http/headers/api-idempotency-key.js';
import { LargeBody } from '../../../http/body/body-limits.js';
import { readIdempotencyKey } from '../../../http/headers/idempotency-key.js';
import { ApiPrefer, MINIMAL_APPLIED, PREFERENCE_HEADER, prefersMinimal } from '../../../http/headers/prefer.js';
import { readPart } from '../../../http/validation/request-validation.js';
import { sendStream } from '../../../http/body/send-stream.js';
import { ApiBody, ApiExtraModels, ApiResponse, ApiTags, getSchemaPath } from '../../../openapi/annotations.js';
import { ApiProblems } from '../../../problem/api-problems.js';
import { type Problem, invalidRequest } from '../../../problem/problem.js';
import { BatchResponseDto, BatchQueryDto, BatchRequestDto, MinimalBatchAnswerDto } from './batch.dto.js';
import { type BatchResult, BatchService } from './batch.service.js';
import { MintResults } from '../mint-results.js';

const PATH = '/identifiers/batch';

/** Results that are serialized before other requests continue. */
const WRITE_SLICE = 100;

@ApiTags('identifiers')
@Controller('identifiers')
export class BatchController {
  constructor(
    private readonly batches: BatchService,
    private readonly results: MintResults,
  ) {}

  /**
   * Mint or register many identifiers
   * @remarks Processes up to 10,000 mints in one transaction: `items`, each as for a single mint, or only `count`. The
   * response has one result for each item, in order of the request. Items that conflict with an earlier item fail with
   * DUPLICATE_IN_REQUEST. With `mode=atomic` nothing is stored when any item fails. The `Idempotency-Key` covers the
   * whole batch, and a replay returns its identifiers in their current state.
   */
  @Post('batch')
  @Requires('mint', 'register')
  @LargeBody()
  @HttpCode(HttpStatus.OK)
  @ApiIdempotencyKey()
  @ApiBody({ type: BatchRequestDto })
  @ApiPrefer()
  @ApiExtraModels(BatchResponseDto, MinimalBatchAnswerDto)
  @ApiResponse({
    status: 200,
    description: 'One result for each item, in order of the request.',
    headers: { ...REPLAYED_HEADER, ...PREFERENCE_HEADER },
    content: {
      'application/json': {
        schema: { anyOf: [BatchResponseDto, MinimalBatchAnswerDto].map((dto) => ({ $ref: getSchemaPath(dto) })) },
      },
    },
  })
  @ApiProblems(
    ...(['MALFORMED_JSON', 'INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY', 'REQUEST_IN_FLIGHT'] as const),
    ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'OUTCOME_UNKNOWN', 'BATCH_REFUSED'] as const),
    ...(['UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY', 'IDEMPOTENCY_KEY_REUSED'] as const),
  )
  async mint(
    @Body() body: unknown,
    @Query() { mode }: BatchQueryDto,
    @CurrentPrincipal() actor: Principal,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('prefer') prefer: string | undefined,
    @Req() httpRequest: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = readIdempotencyKey(idempotencyKey);
    const result = await this.batches.mint({ request: readBatch(body), mode, actor, key });
    if (result.replayed) void reply.header('idempotency-replayed', 'true');
    const isMinimal = prefersMinimal(prefer);
    if (isMinimal) void reply.headers(MINIMAL_APPLIED);
    void reply.status(HttpStatus.OK).type('application/json; charset=utf-8');
    sendStream(httpRequest, reply, this.write(result, actor, isMinimal));
  }

  /** Written in pieces, because a whole response can exceed 10 MB. */
  private async *write(
    { items, results }: BatchResult,
    principal: Principal,
    isMinimal: boolean,
  ): AsyncGenerator<string> {
    let piece = '{"results":[';
    for (const [index, result] of results.entries()) {
      const clientRef = items[index]?.clientRef ?? null;
      const shown = isMinimal
        ? this.results.minimal(clientRef, result, PATH)
        : this.results.result(clientRef, result, principal, PATH);
      piece += `${index === 0 ? '' : ','}${JSON.stringify(shown)}`;
      if (index % WRITE_SLICE < WRITE_SLICE - 1) continue;
      yield piece;
      piece = '';
      await nextTurn();
    }
    yield `${piece}]}\n`;
  }
}

/** Validates the batch without its items, which are validated one by one. */
function readBatch(body: unknown): BatchRequestDto {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const { items, ...head } = (isObject ? body : {}) as BatchRequestDto;
  const places = Array.isArray(items) ? new Array<null>(items.length).fill(null) : items;
  const request = readPart(
    BatchRequestDto,
    isObject ? { ...head, ...(items !== undefined && { items: places }) } : null,
  );
  const { count, namingAuthority } = request;
  if ((count === undefined) === (items === undefined)) throw wrong('/items', 'send either items or count');
  if (count !== undefined && namingAuthority === undefined)
    throw wrong('/namingAuthority', 'count requires namingAuthority');
  return Array.isArray(items) ? { ...request, items } : request;
}

function wrong(pointer: string, detail: string): Problem {
  return invalidRequest(pointer, detail, `${pointer}: ${detail}`);
}
