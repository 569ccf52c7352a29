import { Controller, Get, Headers, HttpStatus, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { ValidBody, ValidQuery } from '../../http/validation/request-validation.js';
import { Context, CurrentPrincipal } from '../../access/current-principal.js';
import type { Principal, RequestContext } from '../../access/principal.js';
import { ShortPlaces, holderOf } from '../../access/limits/places.js';
import { Requires } from '../../access/requires.js';
import { ApiReturnsOnce } from '../../http/headers/idempotency-key.js';
import {
  ApiIfMatch,
  ApiIfNoneMatch,
  isStored,
  readIfMatch,
  recordTagOf,
  requireIfMatch,
  requireMatch,
  requireNoneMatch,
} from '../../http/headers/entity-tags.js';
import { ApiParam, ApiResponse, ApiReturns, ApiTags, textHeader } from '../../openapi/annotations.js';
import { ApiProblems, BODY_CODES, IDEMPOTENCY_CODES, PREFIX_CODES } from '../../problem/api-problems.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import type { Replayable } from '../../storage/idempotency.js';
import { requireReadOnly } from '../../http/validation/read-only.js';
import { Cursors } from '../../http/cursor.js';
import { nextLink } from '../../http/headers/links.js';
import { NEXT_PAGE_HEADER, PageQueryDto } from '../../http/validation/page-query.dto.js';
import { UpdateNamingAuthorityDto, CreateNamingAuthorityDto } from './naming-authority-settings.dto.js';
import { type DescribedNamingAuthority, serializeSettings } from '../../managing/described-naming-authority.js';
import { NamingAuthoritiesService, pathOfNamingAuthority } from '../../managing/naming-authorities.service.js';
import { NamingAuthorityDto, NamingAuthorityPageDto } from './naming-authority.dto.js';

const ETAG = { ETag: textHeader('Entity tag of the naming authority, with its counts.') };

const CREATED = { Location: textHeader('The path of the naming authority.'), ...ETAG };

const PREFIX_POINTER = '#path/namingAuthority';

const ApiNamingAuthorityParam = (): MethodDecorator =>
  ApiParam({
    name: 'namingAuthority',
    description: 'The prefix of the naming authority, percent-encoded; ASCII letters are case-insensitive.',
    example: '100.102',
  });

const FORBIDDEN = 'NAMING_AUTHORITY_FORBIDDEN';

@ApiTags('naming authorities')
@Controller('naming-authorities')
export class NamingAuthoritiesController {
  constructor(
    private readonly namingAuthorities: NamingAuthoritiesService,
    private readonly cursors: Cursors,
    private readonly places: ShortPlaces,
  ) {}

  /**
   * List naming authorities
   * @remarks Returns naming authorities in byte order of their prefixes, in pages, with counts of their identifiers.
   */
  @Get()
  @Requires('read')
  @ApiReturns(NamingAuthorityPageDto, 'One page of naming authorities.', NEXT_PAGE_HEADER)
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR')
  async list(
    @ValidQuery() query: PageQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityPageDto> {
    const after = query.cursor === undefined ? null : this.cursors.read('naming authorities', 0, query.cursor).text;
    const read = () => this.namingAuthorities.page(principal, query.limit, after);
    const { items, hasNext } = await this.places.run(holderOf(request, reply), read);
    const last = items.at(-1);
    if (!hasNext || last === undefined) return { items, next: null };
    const next = this.cursors.write('naming authorities', [last.namingAuthority]);
    const parameters = new URLSearchParams({ limit: String(query.limit), cursor: next });
    void reply.headers(nextLink(`/naming-authorities?${parameters.toString()}`));
    return { items, next };
  }

  /**
   * Get a naming authority
   * @remarks Returns the settings of the naming authority, the prefixes that are derived from it, and the counts of its identifiers.
   */
  @Get(':namingAuthority')
  @Requires('read')
  @ApiNamingAuthorityParam()
  @ApiIfMatch(false)
  @ApiIfNoneMatch()
  @ApiReturns(NamingAuthorityDto, 'The settings, parent, children and counts of the naming authority.', ETAG)
  @ApiResponse({ status: 304, description: 'The representation has not changed.', headers: ETAG })
  @ApiProblems(
    ...(['MALFORMED_URL', 'NAMING_AUTHORITY_NOT_FOUND', 'INVALID_PRECONDITION', 'PRECONDITION_FAILED'] as const),
    ...PREFIX_CODES,
  )
  async find(
    @Param('namingAuthority') prefix: string,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto | undefined> {
    const found = await this.namingAuthorities.find(prefix, principal, PREFIX_POINTER);
    const headers = { etag: recordTagOf(found), 'cache-control': 'no-cache' };
    return isStored({ request, reply }, headers, found) ? undefined : found;
  }

  /**
   * Create a naming authority
   * @remarks If a write, even a rejected one, has contained a metadata ID, alternate identifier or previous version under the prefix whose
   * local name is not a GUID, `profile` must be "handle" and, if this local name has lower-case letters, `caseInsensitive` must have its
   * default. Any other value is rejected with 422 `READ_ONLY_MEMBER`.
   */
  @Post()
  @Requires('admin')
  @ApiReturnsOnce(NamingAuthorityDto, 'Created.', CREATED, 201)
  @ApiProblems(
    ...[...BODY_CODES, ...PREFIX_CODES],
    ...(['NAMING_AUTHORITY_TAKEN', 'PARENT_NOT_FOUND', 'READ_ONLY_MEMBER', 'RESERVED_NAMING_AUTHORITY'] as const),
    ...([FORBIDDEN, ...IDEMPOTENCY_CODES] as const),
  )
  async create(
    @ValidBody() request: CreateNamingAuthorityDto,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const created = await this.namingAuthorities.create(context, request);
    void reply.status(HttpStatus.CREATED).header('location', pathOfNamingAuthority(created.result.namingAuthority));
    return respond(created, reply);
  }

  /**
   * Change a naming authority
   * @remarks The change applies to the next mint, in every process of the service. Null removes `targetTemplate` or `resolver`. `profile`,
   * `caseInsensitive`, `storesHandleValues`, `sandbox` and `metadataIdScheme` can be changed only while the naming authority has no
   * identifier, not even a withdrawn one, no user of an API key, and no name that an alternate identifier claims. For `profile` and
   * `caseInsensitive`, the rules of the creation also apply. A change of these settings waits for the mints in flight. The body can be the
   * complete representation that was read: read-only members with their current values are ignored.
   */
  @Patch(':namingAuthority')
  @Requires('admin')
  @ApiNamingAuthorityParam()
  @ApiIfMatch(true)
  @ApiIfNoneMatch()
  @ApiReturnsOnce(NamingAuthorityDto, 'The settings after the change; unchanged if the request changes nothing.', ETAG)
  @ApiProblems(
    ...BODY_CODES,
    ...(['MALFORMED_URL', 'NAMING_AUTHORITY_NOT_FOUND', 'INVALID_PRECONDITION', 'PRECONDITION_REQUIRED'] as const),
    ...(['PRECONDITION_FAILED', 'READ_ONLY_MEMBER', 'CONFLICT_IN_PROGRESS', FORBIDDEN] as const),
    ...[...PREFIX_CODES, ...IDEMPOTENCY_CODES],
  )
  async change(
    @Param('namingAuthority') prefix: string,
    @ValidBody() request: UpdateNamingAuthorityDto,
    @Context() context: RequestContext,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NamingAuthorityDto> {
    const ifNoneMatch = headers['if-none-match'];
    const ifMatch = requireIfMatch(
      readIfMatch(headers['if-match']),
      'send If-Match with the ETag of the naming authority',
    );
    const requireCurrent = async (current: NamingAuthority, describe: () => Promise<DescribedNamingAuthority>) => {
      requireMatch(ifMatch, current, 'naming authority');
      if (ifNoneMatch !== undefined) requireNoneMatch(ifNoneMatch, recordTagOf(await describe()));
      requireReadOnly(UpdateNamingAuthorityDto, request, serializeSettings(current));
    };
    const precondition = { ifMatch, ifNoneMatch };
    const command = { prefix, pointer: PREFIX_POINTER, settings: request, precondition, requireCurrent };
    return respond(await this.namingAuthorities.change(context, command), reply);
  }
}

function respond({ result, replayed }: Replayable<DescribedNamingAuthority>, reply: FastifyReply): NamingAuthorityDto {
  void reply.header('etag', recordTagOf(result));
  if (replayed) void reply.header('idempotency-replayed', 'true');
  return result;
}
