import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidQuery } from '../../http/validation/request-validation.js';
import { CurrentPrincipal } from '../../access/current-principal.js';
import type { Principal } from '../../access/principal.js';
import { ShortPlaces, holderOf } from '../../access/limits/places.js';
import { Requires, ShowsHistory } from '../../access/requires.js';
import { SYNTAX_CODES } from '@mintmark/identifier';
import { ApiParam, ApiReturns, ApiTags } from '../../openapi/annotations.js';
import { ApiProblems, PREFIX_CODES } from '../../problem/api-problems.js';
import { ApiIdentifierParam, IDENTIFIER_POINTER } from '../representation/identifier.dto.js';
import { locationOf } from '../../registry/identifier-record.js';
import { HistoryPageDto } from './event.dto.js';
import { NEXT_PAGE_HEADER, PageQueryDto } from '../../http/validation/page-query.dto.js';
import { EventCursors } from '../../history/event-cursors.js';
import { type History, type HistoryPage, HistoryService } from '../../history/history.service.js';
import { changeDtoOf } from './event-presenter.js';

@Requires('read')
@ShowsHistory()
@Controller()
export class HistoryController {
  constructor(
    private readonly history: HistoryService,
    private readonly cursors: EventCursors,
    private readonly places: ShortPlaces,
  ) {}

  /**
   * Get the history of an identifier
   * @remarks Returns each change with its time, its client and a JSON Patch (RFC 6902), oldest first. Withdrawn identifiers also have a
   * history. The end of a lease appears when the service has recorded it, up to half a minute later by default, as in `GET /events`.
   */
  @Get('identifiers/:identifier/history')
  @ApiTags('identifiers')
  @ApiIdentifierParam()
  @ApiReturns(HistoryPageDto, 'One page, oldest first.', NEXT_PAGE_HEADER)
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', 'MALFORMED_URL', 'IDENTIFIER_NOT_FOUND', ...SYNTAX_CODES)
  async ofIdentifier(
    @Param('identifier') identifier: string,
    @ValidQuery() query: PageQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HistoryPageDto> {
    const page = this.pageOf(query, IDENTIFIER_POINTER);
    const read = () => this.history.ofIdentifier(identifier, page, principal);
    const history = await this.places.run(holderOf(request, reply), read);
    return this.respond(history, principal, `${locationOf({ identifier: history.of })}/history`, query, reply);
  }

  /**
   * Get the history of a naming authority
   * @remarks Returns each change of the settings, oldest first. For changes to the identifiers, use `GET /events?namingAuthority=`.
   */
  @Get('naming-authorities/:namingAuthority/history')
  @ApiTags('naming authorities')
  @ApiParam({
    name: 'namingAuthority',
    description: 'The prefix of the naming authority, percent-encoded.',
    example: '100.102',
  })
  @ApiReturns(HistoryPageDto, 'One page, oldest first.', NEXT_PAGE_HEADER)
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', 'MALFORMED_URL', 'NAMING_AUTHORITY_NOT_FOUND', ...PREFIX_CODES)
  async ofNamingAuthority(
    @Param('namingAuthority') prefix: string,
    @ValidQuery() query: PageQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HistoryPageDto> {
    const page = this.pageOf(query, '#path/namingAuthority');
    const read = () => this.history.ofNamingAuthority(prefix, page, principal);
    const history = await this.places.run(holderOf(request, reply), read);
    const path = `/naming-authorities/${encodeURIComponent(history.of)}/history`;
    return this.respond(history, principal, path, query, reply);
  }

  private pageOf({ cursor, limit }: PageQueryDto, pointer: string): HistoryPage {
    return { afterVersion: this.cursors.readVersion(cursor), limit, pointer };
  }

  private respond(
    { changes, hasNext }: History,
    principal: Principal,
    path: string,
    { cursor, limit }: PageQueryDto,
    reply: FastifyReply,
  ): HistoryPageDto {
    this.cursors.requireOf(path, cursor);
    const last = changes.at(-1);
    const next = hasNext && last !== undefined ? this.cursors.afterVersion(last.version, path) : null;
    if (next !== null) void reply.header('link', `<${path}?limit=${limit}&cursor=${next}>; rel="next"`);
    return { items: changes.map((change) => changeDtoOf(change, principal)), next };
  }
}
