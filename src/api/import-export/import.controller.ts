import { setImmediate as nextTurn } from 'node:timers/promises';
import { Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../../access/current-principal.js';
import type { Principal } from '../../access/principal.js';
import { KeyValidity } from '../../access/key-validity.js';
import { Requires } from '../../access/requires.js';
import { type StreamLog, lineProblem, respondInLines } from '../../http/body/ndjson-response.js';
import { sendStream, streamLog } from '../../http/body/send-stream.js';
import { readPart } from '../../http/validation/request-validation.js';
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
import type { Problem } from '../../problem/problem.js';
import { type RawLine, openLines } from './import-lines.js';
import { IMPORT_PATH, presentLine } from './import-result.js';
import { ImportService, type LineResult, type ReadyLine, type ReceivedLine } from './import.service.js';
import { ImportResultDto, TransferLineDto } from './transfer-line.dto.js';

/** Lines that are validated before other requests continue. */
const SLICE = 100;

@ApiTags('identifiers')
@Controller('identifiers')
export class ImportController {
  constructor(
    private readonly imports: ImportService,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * Import an export
   * @remarks Reads the NDJSON or CSV of `GET /identifiers/export`, of any length, and registers each identifier with
   * its state, version, times, lease and tombstone. The response has one result for each line, in the same order: a
   * line that is already registered with the same values is `unchanged`, a line that contradicts a registered
   * identifier fails with 409. The naming authorities must exist. The cells of a CSV are separated by `,`, `;` or a
   * tab, as in its header line. The columns may be in any order and
   * case; only `identifier` is required. A CSV without the columns `state`, `version`, `createdAt` and `updatedAt`, such as
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
  @ApiProblems('INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE')
  async import(
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = streamedBody(request, NDJSON, CSV);
    const log = streamLog(request);
    const lineFailed = (error: unknown, line: number): Problem => lineProblem(error, line, log);
    // Before the response starts, so that the refusal of a header line still has a status.
    const next = await openLines(body);
    const results = respondInLines<ReadyLine[]>(body, {
      path: IMPORT_PATH,
      read: async () => {
        const raw = await next();
        return raw === null ? null : this.imports.prepare(await readLines(raw, log), { principal, lineFailed });
      },
      permit: () => this.keys.require(principal),
      work: async (lines) => [write(await this.imports.import(lines, { lineFailed }), principal)],
      lastLine: (lines) => lines.at(-1)?.line ?? 0,
      log,
    });
    sendStream(request, reply.status(HttpStatus.OK).type(NDJSON), results);
  }
}

/** Parses and validates lines; the fault of a line is its result. */
async function readLines(raw: readonly RawLine[], log: StreamLog): Promise<ReceivedLine[]> {
  const lines: ReceivedLine[] = [];
  for (const { number: line, value, compared } of raw) {
    try {
      lines.push({ line, request: readPart(TransferLineDto, value()), ...(compared && { compared }) });
    } catch (error) {
      lines.push({ line, request: lineProblem(error, line, log) });
    }
    if (lines.length % SLICE === 0) await nextTurn();
  }
  return lines;
}

function write(results: readonly LineResult[], principal: Principal): string {
  return results.map((result) => `${JSON.stringify(presentLine(result, principal))}\n`).join('');
}
