import { Body, Controller, Delete, Get, Headers, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../http/api-idempotency-key.js';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { ApiKeyDto, ApiKeyPageDto, ApiKeyRequestDto, CreatedApiKeyDto } from './api-key.dto.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyPageQueryDto, cursorAfter, readCursor } from './key-page-query.dto.js';

const FORBIDDEN = 'NAMING_AUTHORITY_FORBIDDEN';
const WRITES = ['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_FLIGHT', 'INVALID_IDEMPOTENCY_KEY', 'OUTCOME_UNKNOWN'] as const;

@ApiTags('api-keys')
@Requires('admin')
@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly service: ApiKeysService) {}

  /**
   * Create an API key
   * @remarks
   * The answer holds the secret, this once. To rotate a key, create a second one of the same client, use it, and
   * delete the first. A key that is bound to naming authorities itself manages no keys.
   */
  @Post()
  @ApiIdempotencyKey()
  @ApiResponse({ status: 201, description: 'Created.', type: CreatedApiKeyDto, headers: REPLAYED_HEADER })
  @ApiProblems(
    'MALFORMED_JSON',
    'INVALID_REQUEST',
    'INVALID_NAMING_AUTHORITY',
    'INVALID_CHARACTER',
    'NOT_UCS2',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    FORBIDDEN,
    ...WRITES,
  )
  async createKey(
    @Body() request: ApiKeyRequestDto,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedApiKeyDto> {
    requireUnbound(caller);
    const { created, replayed } = await this.service.create(request, caller, readIdempotencyKey(idempotencyKey));
    void reply.headers({ location: `/api-keys/${created.id}`, 'cache-control': 'no-store' });
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return created;
  }

  /** List API keys, revoked and expired ones too. */
  @Get()
  @ApiResponse({ status: 200, description: 'One page in order of creation.', type: ApiKeyPageDto })
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', FORBIDDEN)
  async listKeys(
    @Query() { limit, cursor }: KeyPageQueryDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyPageDto> {
    requireUnbound(caller);
    const found = await this.service.page(limit + 1, cursor === undefined ? undefined : readCursor(cursor));
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const next = found.length > limit && last !== undefined ? cursorAfter(last) : null;
    if (next !== null) void reply.header('link', `</api-keys?limit=${limit}&cursor=${next}>; rel="next"`);
    return { items, next };
  }

  /** Read an API key. */
  @Get(':id')
  @ApiResponse({ status: 200, description: 'The key, without its secret.', type: ApiKeyDto })
  @ApiProblems('API_KEY_NOT_FOUND', FORBIDDEN)
  async getKey(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<ApiKeyDto> {
    requireUnbound(caller);
    return this.service.find(id);
  }

  /**
   * Revoke an API key
   * @remarks
   * It takes effect within two seconds on every instance. The key stays in the list, for the history names it.
   */
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiIdempotencyKey()
  @ApiResponse({ status: 204, description: 'Revoked, now or before.', headers: REPLAYED_HEADER })
  @ApiProblems('API_KEY_NOT_FOUND', FORBIDDEN, ...WRITES)
  async revokeKey(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    requireUnbound(caller);
    const replayed = await this.service.revoke(id, caller, readIdempotencyKey(idempotencyKey));
    if (replayed) void reply.header('idempotency-replayed', 'true');
  }
}

/** A key that is bound to some naming authorities could otherwise make one that is not. */
function requireUnbound(caller: Caller): void {
  caller.requireUnbound('Keys are managed by a key that covers all naming authorities.');
}
