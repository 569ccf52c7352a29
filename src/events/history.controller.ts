import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiParam, ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { ApiIdentifierParam } from '../record/api-identifier-param.js';
import { locationOf } from '../record/identifier-presenter.js';
import { HistoryPageDto, changeDtoOf } from './event.dto.js';
import { HistoryQueryDto } from './events-query.dto.js';
import { type History, HistoryService } from './history.service.js';

const PAGE = {
  status: 200,
  description: 'One page, newest last.',
  type: HistoryPageDto,
  headers: {
    Link: {
      description: 'The next page, as rel="next" (RFC 8288); absent on the last one.',
      schema: { type: 'string' as const },
    },
  },
};

@Requires('read')
@Controller()
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  /**
   * Tell what became of an identifier
   * @remarks
   * Every change: when, who, and what as a JSON Patch (RFC 6902), newest last. A withdrawn identifier has its history too. A
   * reservation whose lease has ended shows so when that was written down.
   */
  @Get('identifiers/:identifier/history')
  @ApiTags('identifiers')
  @ApiIdentifierParam()
  @ApiResponse(PAGE)
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', 'MALFORMED_URL', 'IDENTIFIER_NOT_FOUND', ...SYNTAX_CODES)
  async ofIdentifier(
    @Param('identifier') identifier: string,
    @Query() query: HistoryQueryDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HistoryPageDto> {
    const history = await this.history.ofIdentifier(identifier, query, caller);
    return shown(history, `${locationOf({ identifier: history.of })}/history`, query, reply);
  }

  /**
   * Tell what became of a naming authority
   * @remarks
   * Every change of its settings, newest last. What became of its identifiers, `/events?namingAuthority=` tells.
   */
  @Get('naming-authorities/:namingAuthority/history')
  @ApiTags('events')
  @ApiParam({ name: 'namingAuthority', description: 'The prefix, percent-encoded.', example: '100.102' })
  @ApiResponse(PAGE)
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', 'MALFORMED_URL', 'NAMING_AUTHORITY_NOT_FOUND', ...SYNTAX_CODES)
  async ofAuthority(
    @Param('namingAuthority') namingAuthority: string,
    @Query() query: HistoryQueryDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HistoryPageDto> {
    const history = await this.history.ofAuthority(namingAuthority, query, caller);
    return shown(history, `/naming-authorities/${encodeURIComponent(history.of)}/history`, query, reply);
  }
}

function shown(
  { changes, next }: History,
  path: string,
  { limit }: HistoryQueryDto,
  reply: FastifyReply,
): HistoryPageDto {
  if (next !== null) void reply.header('link', `<${path}?limit=${limit}&cursor=${next}>; rel="next"`);
  return { items: changes.map(changeDtoOf), next };
}
