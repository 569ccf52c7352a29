import { Body, Controller, Get, Headers, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { visibleTo } from '../access/visible.js';
import { matchesWeakly } from '../http/entity-tags.js';
import { OnlyReads } from '../http/overload.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiHeader, ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { ApiIdentifierParam } from '../record/api-identifier-param.js';
import { IdentifierPresenter, WrittenIdentifier } from '../record/identifier-presenter.js';
import { linkHeader } from '../record/path-headers.js';
import { withdrawn } from '../record/withdrawn.js';
import { FoundIdentifierDto } from './found-identifier.dto.js';
import { IdentifierPageDto, ListQueryDto } from './list-query.dto.js';
import { LookupAnswerDto, LookupRequestDto } from './lookup.dto.js';
import { LookupManyService } from './lookup-many.service.js';
import { LookupService } from './lookup.service.js';

const text = { schema: { type: 'string' as const } };

@ApiTags('identifiers')
@Requires('read')
@Controller('identifiers')
export class LookupController {
  constructor(
    private readonly lookup: LookupService,
    private readonly lookupMany: LookupManyService,
    private readonly presenter: IdentifierPresenter,
  ) {}

  /**
   * Find identifiers
   * @remarks
   * Identifiers in order of minting, a page at a time. `metadataId` and `alternateId` are found in any spelling.
   */
  @Get()
  @ApiResponse({
    status: 200,
    description: 'One page; empty when nothing matches.',
    type: IdentifierPageDto,
    headers: { Link: { description: 'The next page, as rel="next" (RFC 8288); absent on the last one.', ...text } },
  })
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', ...SYNTAX_CODES)
  async list(
    @Query() query: ListQueryDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierPageDto> {
    const { records, next } = await this.lookup.page(query, caller);
    if (next !== null) {
      const parameters = new URLSearchParams(request.originalUrl.slice(request.originalUrl.indexOf('?') + 1));
      parameters.set('cursor', next);
      void reply.headers(linkHeader(`/identifiers?${parameters.toString()}`, 'next'));
    }
    return { items: records.map((record) => this.presenter.show(visibleTo(caller, record))), next };
  }

  /**
   * Look up a list of texts
   * @remarks
   * Tells of up to 1,000 pasted texts, in any spelling, which identifier each leads to: as the identifier itself, as its
   * metadata ID or as one of its alternates. Withdrawn identifiers are found too.
   */
  @Post('lookup')
  @OnlyReads()
  @HttpCode(HttpStatus.OK)
  @ApiResponse({ status: 200, description: 'A result for each text, in order.', type: LookupAnswerDto })
  @ApiProblems('MALFORMED_JSON', 'INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  async findMany(@Body() { inputs }: LookupRequestDto, @CurrentCaller() caller: Caller): Promise<LookupAnswerDto> {
    return { items: await this.lookupMany.find(inputs, caller) };
  }

  /**
   * Resolve an identifier to its record
   * @remarks
   * Takes `NA/GUID` with a raw or an escaped slash, in any case, and every other form of the identifier
   * percent-encoded: `hdl:…`, `hdl://…`, `info:hdl/…`, and the URL at a resolver.
   */
  @Get(':identifier')
  @ApiIdentifierParam()
  @ApiHeader({ name: 'If-None-Match', required: false, description: 'Entity tags the client has.', ...text })
  @ApiResponse({
    status: 200,
    description: 'The record.',
    type: FoundIdentifierDto,
    headers: { ETag: { description: 'Entity tag of the representation.', ...text } },
  })
  @ApiResponse({ status: 304, description: 'The representation is one that the client has.' })
  @ApiProblems('MALFORMED_URL', 'IDENTIFIER_NOT_FOUND', 'IDENTIFIER_WITHDRAWN', ...SYNTAX_CODES)
  async find(
    @Param('identifier') identifier: string,
    @CurrentCaller() caller: Caller,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const { record, asked } = await this.lookup.find(identifier, caller);
    if (record.tombstone !== null) throw withdrawn(record);
    const written = new WrittenIdentifier(this.presenter.show(visibleTo(caller, record)));
    void reply.headers({ etag: written.entityTag, 'cache-control': 'no-cache' });
    if (matchesWeakly(ifNoneMatch, written.entityTag)) {
      void reply.status(HttpStatus.NOT_MODIFIED);
      return undefined;
    }
    return written.answer(reply, { query: asked.query, fragment: asked.fragment });
  }
}
