import { Readable } from 'node:stream';
import { Controller, Headers, HttpCode, HttpStatus, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey } from '../http/api-idempotency-key.js';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { NDJSON, streamedBody } from '../http/streamed-body.js';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiResponse, ApiTags, getSchemaPath } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { BulkQueryDto, MintItemDto, MintLineDto } from './batch.dto.js';
import { BulkService } from './bulk.service.js';

@ApiTags('identifiers')
@Controller('identifiers')
export class BulkController {
  constructor(private readonly bulk: BulkService) {}

  /**
   * Mint or register a stream of identifiers
   * @remarks
   * One mint request a line, of any number of lines, and one result a line, in the same order and while the request still
   * goes on. A line that is answered is durable. Lines without anything are counted and not answered; a line has at most
   * 64 KiB. After a cut, send all lines again with the same `Idempotency-Key`: none gets a second identifier. When the
   * stream cannot go on, its last line has a `problem` and no `clientRef`, and `line` tells the first line that was not
   * answered.
   */
  @Post('bulk')
  @Requires('mint', 'register')
  @HttpCode(HttpStatus.OK)
  @ApiIdempotencyKey()
  @ApiConsumes(NDJSON)
  @ApiExtraModels(MintItemDto, MintLineDto)
  @ApiBody({ schema: { $ref: getSchemaPath(MintItemDto) }, description: 'One of these a line.' })
  @ApiResponse({
    status: 200,
    description: 'One of these a line.',
    content: { [NDJSON]: { schema: { $ref: getSchemaPath(MintLineDto) } } },
  })
  @ApiProblems('INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY', 'UNSUPPORTED_MEDIA_TYPE')
  mint(
    @Query() { namingAuthority }: BulkQueryDto,
    @CurrentCaller() actor: Caller,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const key = readIdempotencyKey(idempotencyKey);
    const body = streamedBody(request, NDJSON);
    const lines = this.bulk.mint(body, { actor, key, namingAuthority }, (error) => {
      request.log.error({ err: error }, 'a stream could not go on');
    });
    void reply
      .status(HttpStatus.OK)
      .type(NDJSON)
      .send(Readable.from(lines, { objectMode: false }));
  }
}
