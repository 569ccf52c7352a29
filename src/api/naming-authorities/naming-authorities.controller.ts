import { Body, Controller, Get, Headers, HttpStatus, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Principal, CurrentPrincipal } from '../../access/principal.js';
import { Requires } from '../../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../../http/headers/api-idempotency-key.js';
import { readIfMatch } from '../../http/headers/entity-tags.js';
import { readIdempotencyKey } from '../../http/headers/idempotency-key.js';
import { SYNTAX_CODES } from '../../identifier/index.js';
import { ApiHeader, ApiParam, ApiResponse, ApiTags } from '../../openapi/annotations.js';
import { ApiProblems } from '../../problem/api-problems.js';
import { Problem } from '../../problem/problem.js';
import { linkHeader } from '../representation/identifier-presenter.js';
import { AuthorityPageQueryDto } from './authority-page.dto.js';
import { UpdateNamingAuthorityDto, CreateNamingAuthorityDto } from './authority-settings.dto.js';
import { NamingAuthoritiesService } from './naming-authorities.service.js';
import { NamingAuthorityDto, NamingAuthorityPageDto } from './naming-authority.dto.js';
import { authorityPath, settingsTag } from './show-authority.js';

const text = (description: string) => ({ description, schema: { type: 'string' as const } });
const ETAG = { ETag: text('Strong entity tag of the settings: their version.') };

const ApiAuthorityParam = (): MethodDecorator =>
  ApiParam({
    name: 'namingAuthority',
    description: 'The prefix of the naming authority, percent-encoded; ASCII letters are case-insensitive.',
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
   * @remarks Returns naming authorities in byte order of their prefixes, in pages, with counts of their identifiers.
   */
  @Get()
  @Requires('read')
  @ApiResponse({
    status: 200,
    description: 'One page of naming authorities.',
    type: NamingAuthorityPageDto,
    headers: { Link: text('The next page, as rel="next" (RFC 8288). Absent on the last page.') },
  })
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR')
  async list(
    @Query() query: AuthorityPageQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityPageDto> {
    const page = await this.authorities.page(query, principal);
    if (page.next !== null) {
      const parameters = new URLSearchParams({ limit: String(query.limit), cursor: page.next });
      void reply.headers(linkHeader(`/naming-authorities?${parameters.toString()}`, 'next'));
    }
    return page;
  }

  /** Get a naming authority */
  @Get(':namingAuthority')
  @Requires('read')
  @ApiAuthorityParam()
  @ApiResponse({
    status: 200,
    description: 'The settings, relatives and counts of the naming authority.',
    type: NamingAuthorityDto,
    headers: ETAG,
  })
  @ApiProblems('MALFORMED_URL', 'NAMING_AUTHORITY_NOT_FOUND', ...SYNTAX_CODES)
  async find(
    @Param('namingAuthority') prefix: string,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const shown = await this.authorities.find(prefix, principal);
    // Counts change without the entity tag, so the response must not be cached.
    void reply.headers({ etag: settingsTag(shown), 'cache-control': 'no-store' });
    return shown;
  }

  /**
   * Create a naming authority
   * @remarks Create it before identifiers under it are used as metadata IDs or alternates, which are compared by its
   * case rule from then on.
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
    @CurrentPrincipal() principal: Principal,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const key = readIdempotencyKey(idempotencyKey);
    const { result: outcome, replayed } = await this.authorities.create(request, principal, key);
    void reply.status(HttpStatus.CREATED).header('location', authorityPath(outcome.namingAuthority));
    return answered(outcome, replayed, reply);
  }

  /**
   * Change a naming authority
   * @remarks The change applies to the next mint, in every process of the service. Null removes `targetTemplate` or
   * `resolver`; `profile` and `caseInsensitive` cannot be changed.
   */
  @Patch(':namingAuthority')
  @Requires('admin')
  @ApiAuthorityParam()
  @ApiHeader({
    name: 'If-Match',
    required: true,
    description: 'The `ETag` of the settings that the change is based on, or `*` for any.',
    schema: { type: 'string' },
    example: '"1"',
  })
  @ApiIdempotencyKey()
  @ApiResponse({
    status: 200,
    description: 'The settings after the change; unchanged where the request differs in nothing.',
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
    @Body() request: UpdateNamingAuthorityDto,
    @CurrentPrincipal() principal: Principal,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const precondition = readIfMatch(ifMatch);
    if (precondition === undefined)
      throw new Problem(
        'PRECONDITION_REQUIRED',
        'If-Match is required to prevent lost updates: send the ETag of the naming authority.',
      );
    const key = readIdempotencyKey(idempotencyKey);
    const { result: outcome, replayed } = await this.authorities.change(prefix, request, precondition, principal, key);
    return answered(outcome, replayed, reply);
  }
}

function answered(outcome: NamingAuthorityDto, replayed: boolean, reply: FastifyReply): NamingAuthorityDto {
  void reply.header('etag', settingsTag(outcome));
  if (replayed) void reply.header('idempotency-replayed', 'true');
  return outcome;
}
