import { Controller, Headers, HttpCode, HttpStatus, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, CurrentPrincipal } from '../../../access/principal.js';
import { Requires } from '../../../access/scope.js';
import { ApiIdempotencyKey } from '../../../http/headers/api-idempotency-key.js';
import { readIdempotencyKey } from '../../../http/headers/idempotency-key.js';
import { ApiPrefer, MINIMAL_APPLIED, PREFERENCE_HEADER, prefersMinimal } from '../../../http/headers/prefer.js';
import { sendStream, streamLog } from '../../../http/body/send-stream.js';
import { NDJSON, ReadsStream, streamedBody } from '../../../http/body/streamed-body.js';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '../../../openapi/annotations.js';
import { ApiProblems } from '../../../problem/api-problems.js';
import { BulkQueryDto, MinimalMintLineDto, MintItemDto, MintLineDto } from '../batch/batch.dto.js';
import { BulkService } from './bulk.service.js';

@ApiTags('identifiers')
@Controller('identifiers')
export class BulkController {
  constructor(private readonly bulk: BulkService) {}

  /**
   * Mint or register a stream of identifiers
   * @remarks Reads one mint request from each line, for any number of lines, and returns one result for each line, in
   * the same order and while the request continues. A line with a result is durable. Blank lines are numbered but
   * produce no result. A line has at most 64 KiB. After an interruption, send all lines again with the same
   * `Idempotency-Key`: no line gets a second identifier. When the stream cannot continue, its last line has a `problem`
   * and no `clientRef`, and `line` is the number of the first line without a result.
   */
  @Post('bulk')
  @Requires('mint', 'register')
  @HttpCode(HttpStatus.OK)
  @ApiIdempotencyKey()
  @ReadsStream(NDJSON)
  @ApiConsumes(NDJSON)
  @ApiPrefer()
  @ApiExtraModels(MintItemDto, MintLineDto, MinimalMintLineDto)
  @ApiBody({ schema: { $ref: getSchemaPath(MintItemDto) }, description: 'One JSON object on each line.' })
  @ApiResponse({
    status: 200,
    description: 'One JSON object on each line.',
    headers: PREFERENCE_HEADER,
    content: {
      [NDJSON]: { schema: { anyOf: [MintLineDto, MinimalMintLineDto].map((dto) => ({ $ref: getSchemaPath(dto) })) } },
    },
  })
  @ApiProblems('INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY', 'UNSUPPORTED_MEDIA_TYPE')
  mint(
    @Query() { namingAuthority }: BulkQueryDto,
    @CurrentPrincipal() actor: Principal,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const key = readIdempotencyKey(idempotencyKey);
    const body = streamedBody(request, NDJSON);
    const isMinimal = prefersMinimal(prefer);
    const lines = this.bulk.mint(body, { actor, key, namingAuthority, isMinimal }, streamLog(request.log));
    if (isMinimal) void reply.headers(MINIMAL_APPLIED);
    sendStream(request, reply.status(HttpStatus.OK).type(NDJSON), lines);
  }
}
