import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Body, Controller, Headers, HttpCode, HttpStatus, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../http/api-idempotency-key.js';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { readPart } from '../http/request-validation.js';
import { ApiBody, ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { Problem } from '../problem/problem.js';
import { BatchAnswerDto, BatchQueryDto, BatchRequestDto } from './batch.dto.js';
import { type BatchResult, BatchService } from './batch.service.js';
import { MintResults } from './mint-results.js';

const PATH = '/identifiers/batch';

/** So many results are written before other requests get their turn. */
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
   * @remarks
   * Up to 10,000 in one transaction: `items`, each as for one mint, or only `count`. Each item has its own result, in the
   * order of the request; two items that ask for the same are told so. With `mode=atomic` nothing is done when any item is
   * refused. The `Idempotency-Key` covers the whole batch, and a repeat shows its identifiers as they are now.
   */
  @Post('batch')
  @Requires('mint', 'register')
  @HttpCode(HttpStatus.OK)
  @ApiIdempotencyKey()
  @ApiBody({ type: BatchRequestDto })
  @ApiResponse({ status: 200, description: 'A result for each item.', type: BatchAnswerDto, headers: REPLAYED_HEADER })
  @ApiProblems(
    ...(['MALFORMED_JSON', 'INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY', 'REQUEST_IN_FLIGHT'] as const),
    ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'OUTCOME_UNKNOWN', 'BATCH_REFUSED'] as const),
    ...(['UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY', 'IDEMPOTENCY_KEY_REUSED'] as const),
  )
  async mint(
    @Body() body: unknown,
    @Query() { mode }: BatchQueryDto,
    @CurrentCaller() actor: Caller,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = readIdempotencyKey(idempotencyKey);
    const result = await this.batches.mint({ request: readBatch(body), mode, actor, key });
    if (result.replayed) void reply.header('idempotency-replayed', 'true');
    void reply
      .status(HttpStatus.OK)
      .type('application/json; charset=utf-8')
      .send(Readable.from(this.write(result, actor), { objectMode: false }));
  }

  /** The answer in pieces: whole it would have 10 MB and more. */
  private async *write({ items, results }: BatchResult, caller: Caller): AsyncGenerator<string> {
    let piece = '{"results":[';
    for (const [index, result] of results.entries()) {
      const shown = this.results.result(items[index]?.clientRef ?? null, result, caller, PATH);
      piece += `${index === 0 ? '' : ','}${JSON.stringify(shown)}`;
      if (index % WRITE_SLICE < WRITE_SLICE - 1) continue;
      yield piece;
      piece = '';
      await nextTurn();
    }
    yield `${piece}]}`;
  }
}

/** Holds the batch against its rules without looking into the items, which are read one by one. */
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
    throw wrong('/namingAuthority', 'count needs namingAuthority');
  return Array.isArray(items) ? { ...request, items } : request;
}

function wrong(pointer: string, detail: string): Problem {
  return new Problem('INVALID_REQUEST', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}
