import { Readable } from 'node:stream';
import { Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { CSV, NDJSON, streamedBody } from '../http/streamed-body.js';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiResponse, ApiTags, getSchemaPath } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { ImportService } from './import.service.js';
import { ImportResultDto, TransferLineDto } from './transfer-line.dto.js';

@ApiTags('identifiers')
@Controller('identifiers')
export class ImportController {
  constructor(private readonly imports: ImportService) {}

  /**
   * Import an export
   * @remarks
   * Takes the NDJSON or the CSV of `GET /identifiers/export` of any length and registers each identifier as it was: with its
   * state, version, times, lease and tombstone. One result a line, in the same order; a line that is there already is
   * `unchanged`, and one that contradicts what is registered is refused with 409. The naming authorities are created before.
   */
  @Post('import')
  @Requires('admin')
  @HttpCode(HttpStatus.OK)
  @ApiConsumes(NDJSON, CSV)
  @ApiExtraModels(TransferLineDto, ImportResultDto)
  @ApiBody({ schema: { $ref: getSchemaPath(TransferLineDto) }, description: 'One of these a line.' })
  @ApiResponse({
    status: 200,
    description: 'One of these a line.',
    content: { [NDJSON]: { schema: { $ref: getSchemaPath(ImportResultDto) } } },
  })
  @ApiProblems('UNSUPPORTED_MEDIA_TYPE')
  import(@CurrentCaller() actor: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const lines = this.imports.import(streamedBody(request, NDJSON, CSV), actor, (error) => {
      request.log.error({ err: error }, 'an import could not go on');
    });
    void reply
      .status(HttpStatus.OK)
      .type(NDJSON)
      .send(Readable.from(lines, { objectMode: false }));
  }
}
