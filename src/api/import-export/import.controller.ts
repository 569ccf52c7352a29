import { setImmediate as nextTurn } from 'node:timers/promises';
import { Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, CurrentPrincipal } from '../../access/principal.js';
import { KeyValidity } from '../../access/key-validity.js';
import { Requires } from '../../access/scope.js';
import { type StreamLog, respondInLines } from '../../http/body/ndjson-response.js';
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
import { problemOf } from '../../problem/problem.filter.js';
import { Problem } from '../../problem/problem.js';
import { type RawLine, openLines } from './import-lines.js';
import { IMPORT_PATH, refusalOf, resultOf } from './import-result.js';
import { type ImportCommand, ImportService } from './import.service.js';
import { readLine } from './read-line.js';
import { ImportResultDto, TransferLineDto } from './transfer-line.dto.js';

/** Lines that are parsed before other requests continue. */
const SLICE = 100;

interface Line {
  readonly number: number;
  readonly command: ImportCommand | Problem;
}

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
    @CurrentPrincipal() actor: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = streamedBody(request, NDJSON, CSV);
    const log = streamLog(request.log);
    // Before the response starts, so that the refusal of a header line still has a status.
    const next = await openLines(body);
    const results = respondInLines<Line[]>(body, {
      path: IMPORT_PATH,
      read: async () => {
        const raw = await next();
        return raw === null ? null : this.read(raw, actor, log);
      },
      permit: () => this.keys.require(actor),
      work: (lines) => this.importLines(lines, log),
      lastLine: (lines) => lines.at(-1)?.number ?? 0,
      log,
    });
    sendStream(request, reply.status(HttpStatus.OK).type(NDJSON), results);
  }

  private async read(raw: readonly RawLine[], actor: Principal, log: StreamLog): Promise<Line[]> {
    const known = await this.imports.namingAuthorities(actor);
    const lines: Line[] = [];
    for (const { number, value, compared } of raw) {
      try {
        lines.push({ number, command: { ...readLine(value(), known, actor), ...(compared && { compared }) } });
      } catch (error) {
        if (!(error instanceof Problem)) log.lineFailed(error, number);
        lines.push({ number, command: problemOf(error) });
      }
      if (lines.length % SLICE === 0) await nextTurn();
    }
    return lines;
  }

  private async importLines(lines: readonly Line[], log: StreamLog): Promise<string[]> {
    const commands = lines.flatMap(({ command }) => (command instanceof Problem ? [] : [command]));
    const outcomes = await this.imports.import(commands);
    const results = lines.map(({ number, command }) => {
      if (command instanceof Problem) return refusalOf(number, command);
      const outcome = outcomes.get(command);
      if (outcome === undefined) throw new TypeError('every command has an outcome');
      if (outcome.kind === 'failed') log.lineFailed(outcome.error, number);
      return resultOf(number, command, outcome);
    });
    return [results.map((result) => `${JSON.stringify(result)}\n`).join('')];
  }
}
