import { Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, CurrentPrincipal } from '../../access/principal.js';
import { Requires } from '../../access/scope.js';
import { sendStream, streamLog } from '../../http/body/send-stream.js';
import { CSV, NDJSON, ReadsStream, streamedBody } from '../../http/body/streamed-body.js';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '../../openapi/annotations.js';
import { ApiProblems } from '../../problem/api-problems.js';
import { ImportService } from './import.service.js';
import { ImportResultDto, TransferLineDto } from './transfer-line.dto.js';

@ApiTags('identifiers')
@Controller('identifiers')
export class ImportController {
  constructor(private readonly imports: ImportService) {}

  /**
   * Import an export
   * @remarks Reads the NDJSON or CSV of `GET /identifiers/export`, of any length, and registers each identifier with
   * its state, version, times, lease and tombstone. The response has one result for each line, in the same order: a
   * line that is already registered with the same values is `unchanged`, a line that contradicts a registered
   * identifier fails with 409. The naming authorities must exist. The cells of a CSV are separated by `,`, `;` or a
   * tab, as in its header line. A CSV without the columns `state`, `version`, `createdAt` and `updatedAt`, such as
   * `identifier,target`, registers active identifiers; one that is active with the same values is `unchanged`.
   */
  @Post('import')
  @Requires('admin')
  @HttpCode(HttpStatus.OK)
  @ReadsStream(NDJSON, CSV)
  @ApiConsumes(NDJSON, CSV)
  @ApiExtraModels(TransferLineDto, ImportResultDto)
  @ApiBody({ schema: { $ref: getSchemaPath(TransferLineDto) }, description: 'One JSON object on each line.' })
  @ApiResponse({
    status: 200,
    description: 'One JSON object on each line.',
    content: { [NDJSON]: { schema: { $ref: getSchemaPath(ImportResultDto) } } },
  })
  @ApiProblems('UNSUPPORTED_MEDIA_TYPE')
  import(@CurrentPrincipal() actor: Principal, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const lines = this.imports.import(streamedBody(request, NDJSON, CSV), actor, streamLog(request.log));
    sendStream(request, reply.status(HttpStatus.OK).type(NDJSON), lines);
  }
}
