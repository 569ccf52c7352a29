import { Body, Controller, Get, Headers, HttpStatus, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../http/api-idempotency-key.js';
import { readIfMatch } from '../http/entity-tags.js';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiHeader, ApiParam, ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { Problem } from '../problem/problem.js';
import { linkHeader } from '../record/path-headers.js';
import { AuthorityPageQueryDto } from './authority-page.dto.js';
import { ChangeNamingAuthorityDto, CreateNamingAuthorityDto } from './authority-settings.dto.js';
import { NamingAuthoritiesService } from './naming-authorities.service.js';
import { NamingAuthorityDto, NamingAuthorityPageDto } from './naming-authority.dto.js';
import { authorityPath, settingsTag } from './show-authority.js';

const text = (description: string) => ({ description, schema: { type: 'string' as const } });
const ETAG = { ETag: text('Strong entity tag of the settings: the version.') };

const ApiAuthorityParam = (): MethodDecorator =>
  ApiParam({
    name: 'namingAuthority',
    description: 'The prefix, percent-encoded, in any case of its ASCII letters.',
    example: '100.102',
  });

const BODY = ['MALFORMED_JSON', 'INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;
const FORBIDDEN = 'NAMING_AUTHORITY_FORBIDDEN';
const ONCE = [
  ...['INVALID_IDEMPOTENCY_KEY' as const, 'IDEMPOTENCY_KEY_REUSED' as const, 'REQUEST_IN_FLIGHT' as const],
  'OUTCOME_UNKNOWN' as const,
];

@ApiTags('naming authorities')
@Controller('naming-authorities')
export class NamingAuthoritiesController {
  constructor(private readonly authorities: NamingAuthoritiesService) {}

  /**
   * List naming authorities
   * @remarks
   * In the order of their octets, a page at a time, with counts of their identifiers.
   */
  @Get()
  @Requires('read')
  @ApiResponse({
    status: 200,
    description: 'One page.',
    type: NamingAuthorityPageDto,
    headers: { Link: text('The next page, as rel="next" (RFC 8288); absent on the last one.') },
  })
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR')
  async list(
    @Query() query: AuthorityPageQueryDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityPageDto> {
    const page = await this.authorities.page(query, caller);
    if (page.next !== null) {
      const parameters = new URLSearchParams({ limit: String(query.limit), cursor: page.next });
      void reply.headers(linkHeader(`/naming-authorities?${parameters.toString()}`, 'next'));
    }
    return page;
  }

  /** Show a naming authority */
  @Get(':namingAuthority')
  @Requires('read')
  @ApiAuthorityParam()
  @ApiResponse({
    status: 200,
    description: 'Its settings, relatives and counts.',
    type: NamingAuthorityDto,
    headers: ETAG,
  })
  @ApiProblems('MALFORMED_URL', 'NAMING_AUTHORITY_NOT_FOUND', ...SYNTAX_CODES)
  async find(
    @Param('namingAuthority') prefix: string,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const shown = await this.authorities.find(prefix, caller);
    // Counts change without the tag, so nobody keeps them.
    void reply.headers({ etag: settingsTag(shown), 'cache-control': 'no-store' });
    return shown;
  }

  /**
   * Create a naming authority
   * @remarks
   * Create it before its names are used elsewhere: metadata IDs and alternates are compared by its case rule from then on.
   */
  @Post()
  @Requires('admin')
  @ApiIdempotencyKey()
  @ApiResponse({
    status: 201,
    description: 'Created.',
    type: NamingAuthorityDto,
    headers: { Location: text('The path of the naming authority.'), ...ETAG, ...REPLAYED_HEADER },
  })
  @ApiProblems(...BODY, ...SYNTAX_CODES, 'NAMING_AUTHORITY_TAKEN', 'PARENT_NOT_FOUND', FORBIDDEN, ...ONCE)
  async create(
    @Body() request: CreateNamingAuthorityDto,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const key = readIdempotencyKey(idempotencyKey);
    const { outcome, replayed } = await this.authorities.create(request, caller, key);
    void reply.status(HttpStatus.CREATED).header('location', authorityPath(outcome.namingAuthority));
    return answered(outcome, replayed, reply);
  }

  /**
   * Change a naming authority
   * @remarks
   * Takes effect for the next mint, in every process of the service. Null removes `targetTemplate` or `resolver`;
   * `profile` and `caseInsensitive` cannot be changed.
   */
  @Patch(':namingAuthority')
  @Requires('admin')
  @ApiAuthorityParam()
  @ApiHeader({
    name: 'If-Match',
    required: true,
    description: 'The `ETag` of the settings that the change was decided on, or `*`.',
    schema: { type: 'string' },
    example: '"1"',
  })
  @ApiIdempotencyKey()
  @ApiResponse({
    status: 200,
    description: 'Changed, or as it was where nothing differs.',
    type: NamingAuthorityDto,
    headers: { ...ETAG, ...REPLAYED_HEADER },
  })
  @ApiProblems(
    ...BODY,
    ...(['MALFORMED_URL', 'NAMING_AUTHORITY_NOT_FOUND', 'INVALID_PRECONDITION', 'PRECONDITION_REQUIRED'] as const),
    ...(['PRECONDITION_FAILED', FORBIDDEN, ...SYNTAX_CODES, ...ONCE] as const),
  )
  async change(
    @Param('namingAuthority') prefix: string,
    @Body() request: ChangeNamingAuthorityDto,
    @CurrentCaller() caller: Caller,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const precondition = readIfMatch(ifMatch);
    if (precondition === undefined) throw new Problem('PRECONDITION_REQUIRED', 'Send the ETag of GET as If-Match.');
    const key = readIdempotencyKey(idempotencyKey);
    const { outcome, replayed } = await this.authorities.change(prefix, request, precondition, caller, key);
    return answered(outcome, replayed, reply);
  }
}

function answered(outcome: NamingAuthorityDto, replayed: boolean, reply: FastifyReply): NamingAuthorityDto {
  void reply.header('etag', settingsTag(outcome));
  if (replayed) void reply.header('idempotency-replayed', 'true');
  return outcome;
}
