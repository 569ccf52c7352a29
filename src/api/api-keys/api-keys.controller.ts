import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidBody, ValidQuery } from '../../http/validation/request-validation.js';
import { Context, CurrentPrincipal } from '../../access/current-principal.js';
import { ADMIN, type Principal, type RequestContext, type Scope } from '../../access/principal.js';
import { ShortPlaces, holderOf } from '../../access/limits/places.js';
import { Requires, RequiresKey } from '../../access/requires.js';
import { ApiIdempotencyKey, ApiReturnsOnce, REPLAYED_HEADER } from '../../http/headers/idempotency-key.js';
import { requireNoBody } from '../../http/body/body-limits.js';
import { ApiResponse, ApiReturns, ApiTags, textHeader } from '../../openapi/annotations.js';
import { ApiProblems, BODY_CODES, IDEMPOTENCY_CODES, PREFIX_CODES } from '../../problem/api-problems.js';
import { ApiKeyDto, ApiKeyPageDto, CreateApiKeyDto, CreatedApiKeyDto, OwnApiKeyDto } from './api-key.dto.js';
import { ApiKeysService, type KeyPosition } from '../../managing/api-keys.service.js';
import { Cursors } from '../../http/cursor.js';
import type { ApiKey } from '../../storage/api-key-store.js';
import { NEXT_PAGE_HEADER, PageQueryDto } from '../../http/validation/page-query.dto.js';

/** The key in `ADMIN_API_KEY`, which is not stored. */
const ADMINISTRATOR: OwnApiKeyDto = {
  ...{ id: null, client: ADMIN.client, label: null, scopes: ['admin'], namingAuthorities: null },
  ...{ expiresAt: null, createdAt: null, handleUser: null },
};

const FORBIDDEN = 'NAMING_AUTHORITY_FORBIDDEN';

@ApiTags('api-keys')
@Requires('admin')
@Controller('api-keys')
export class ApiKeysController {
  constructor(
    private readonly service: ApiKeysService,
    private readonly cursors: Cursors,
    private readonly places: ShortPlaces,
  ) {}

  /**
   * Create an API key
   * @remarks Only the first response contains the secret; a replay does not. To rotate a key, create a second key for the same client,
   * switch to it, and revoke the first. A key that is restricted to naming authorities cannot manage keys.
   */
  @Post()
  @ApiReturnsOnce(CreatedApiKeyDto, 'Created.', { Location: textHeader('The path of the API key.') }, 201)
  @ApiProblems(
    ...[...BODY_CODES, ...PREFIX_CODES, ...(['UNKNOWN_NAMING_AUTHORITY', 'HANDLE_USER_TAKEN'] as const)],
    ...([FORBIDDEN, ...IDEMPOTENCY_CODES] as const),
  )
  async createKey(
    @ValidBody() request: CreateApiKeyDto,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedApiKeyDto> {
    const { result, replayed } = await this.service.create(context, request);
    const { key, secret } = result;
    void reply.headers({ location: `/api-keys/${key.id}`, 'cache-control': 'no-store' });
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return { ...apiKeyDtoOf(key), secret };
  }

  /**
   * List API keys
   * @remarks The list includes revoked and expired keys.
   */
  @Get()
  @ApiReturns(ApiKeyPageDto, 'One page of API keys, in order of creation.', NEXT_PAGE_HEADER)
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', FORBIDDEN)
  async listKeys(
    @ValidQuery() { limit, cursor }: PageQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyPageDto> {
    const after = cursor === undefined ? undefined : this.positionOf(cursor);
    const read = () => this.service.page(principal, limit, after);
    const { items, hasNext } = await this.places.run(holderOf(request, reply), read);
    const last = items.at(-1);
    const next = hasNext && last !== undefined ? this.cursorAfter(last) : null;
    if (next !== null) void reply.header('link', `</api-keys?limit=${limit}&cursor=${next}>; rel="next"`);
    return { items: items.map(apiKeyDtoOf), next };
  }

  /**
   * Get the API key of the request
   * @remarks Any valid key may read itself, even if it is restricted to naming authorities. The administrator's key (`ADMIN_API_KEY`)
   * has no `id`. Under `ACCESS=open`, keys are ignored and the status is 404.
   */
  @Get('self')
  @RequiresKey()
  @ApiReturns(OwnApiKeyDto, 'The API key of the request, without its secret.')
  @ApiProblems('API_KEY_NOT_FOUND')
  async getOwnApiKey(
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OwnApiKeyDto> {
    const key = await this.service.findOwn(principal);
    void reply.header('cache-control', 'no-store');
    return key === null ? ADMINISTRATOR : ownApiKeyDtoOf(key);
  }

  /**
   * Get an API key
   * @remarks Revoked and expired keys are also returned. Only the response to the creation contains the secret.
   */
  @Get(':id')
  @ApiReturns(ApiKeyDto, 'The API key, without its secret.')
  @ApiProblems('API_KEY_NOT_FOUND', FORBIDDEN)
  async getKey(@Param('id') id: string, @CurrentPrincipal() principal: Principal): Promise<ApiKeyDto> {
    return apiKeyDtoOf(await this.service.find(id, principal));
  }

  /**
   * Confirm an API key
   * @remarks A key that was created under `ACCESS=open` is rejected under `ACCESS=keys` until it is confirmed. The
   * confirmation takes effect within two seconds on every instance of the service. A key that needs no confirmation is returned unchanged.
   */
  @Post(':id/confirm')
  @HttpCode(HttpStatus.OK)
  @ApiReturnsOnce(ApiKeyDto, 'The confirmed API key.')
  @ApiProblems(...BODY_CODES, 'OPEN_ACCESS_FORBIDDEN', 'API_KEY_NOT_FOUND', FORBIDDEN, ...IDEMPOTENCY_CODES)
  async confirmKey(
    @Param('id') id: string,
    @Req() { body }: FastifyRequest,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDto> {
    requireNoBody(body);
    const { result, replayed } = await this.service.confirm(context, id);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return apiKeyDtoOf(result);
  }

  /**
   * Revoke an API key
   * @remarks The revocation takes effect within two seconds on every instance of the service. The key stays in the list, because
   * the history refers to it.
   */
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiIdempotencyKey()
  @ApiResponse({ status: 204, description: 'The API key is revoked.', headers: REPLAYED_HEADER })
  @ApiProblems('API_KEY_NOT_FOUND', FORBIDDEN, ...IDEMPOTENCY_CODES)
  async revokeKey(
    @Param('id') id: string,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const replayed = await this.service.revoke(context, id);
    if (replayed) void reply.header('idempotency-replayed', 'true');
  }

  private cursorAfter({ createdAt, id }: KeyPosition): string {
    return this.cursors.write('api keys', [BigInt(createdAt.getTime()), id]);
  }

  private positionOf(cursor: string): KeyPosition {
    const { numbers, text: id } = this.cursors.read('api keys', 1, cursor);
    return { createdAt: new Date(Number(numbers[0])), id };
  }
}

function ownApiKeyDtoOf(key: ApiKey): OwnApiKeyDto {
  const { id, client, label, scopes, namingAuthorities, expiresAt, createdAt, handleUser } = apiKeyDtoOf(key);
  return { id, client, label, scopes, namingAuthorities, expiresAt, createdAt, handleUser };
}

function apiKeyDtoOf({
  grants,
  scopes,
  expiresAt,
  revokedAt,
  lastUsedAt,
  createdAt,
  confirmedAt,
  ...key
}: ApiKey): ApiKeyDto {
  return {
    ...key,
    scopes: scopes as Scope[],
    namingAuthorities: grants === null ? null : [...grants],
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    confirmedAt: confirmedAt?.toISOString() ?? null,
  };
}
