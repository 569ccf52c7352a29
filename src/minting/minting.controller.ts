import { Body, Controller, Headers, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { MintBudget } from '../access/mint-budget.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../http/api-idempotency-key.js';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { WrittenIdentifier, locationOf } from '../record/identifier-presenter.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { locationHeader } from '../record/path-headers.js';
import { orderHash, readOrder, requireMinting } from './mint-order.js';
import { MintRequestDto, MintedIdentifierDto } from './mint-request.dto.js';
import { MintResults, statusOf } from './mint-results.js';
import { MintQueue } from './mint-queue.js';

const HEADERS = {
  Location: {
    description: 'The path of the identifier; absent where it is too long for a header.',
    schema: { type: 'string' as const },
  },
  ETag: { description: 'Entity tag of the representation.', schema: { type: 'string' as const } },
  ...REPLAYED_HEADER,
};

@ApiTags('identifiers')
@Controller('identifiers')
export class MintingController {
  constructor(
    private readonly queue: MintQueue,
    private readonly results: MintResults,
    private readonly authorities: NamingAuthorities,
    private readonly budget: MintBudget,
  ) {}

  /**
   * Mint or register an identifier
   * @remarks
   * Mints one identifier, durably, before it answers. A repeat with the same `Idempotency-Key`, or with a metadata ID
   * that is known in the naming authority, answers the identifier that was minted already.
   */
  @Post()
  @Requires('mint', 'register')
  @ApiIdempotencyKey()
  @ApiResponse({ status: 201, description: 'Minted.', type: MintedIdentifierDto, headers: HEADERS })
  @ApiResponse({
    status: 200,
    description: 'The metadata ID is known in this naming authority: the identifier it describes.',
    type: MintedIdentifierDto,
    headers: HEADERS,
  })
  @ApiProblems(
    ...(['MALFORMED_JSON', 'INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY'] as const),
    ...SYNTAX_CODES,
    ...(['METADATA_ID_TAKEN', 'GUID_TAKEN', 'IDENTIFIER_TAKEN', 'ALTERNATE_ID_TAKEN', 'REQUEST_IN_FLIGHT'] as const),
    ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'WRONG_PROFILE', 'OUTCOME_UNKNOWN'] as const),
    ...(['UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY', 'METADATA_ID_IS_IDENTIFIER'] as const),
    ...(['IDEMPOTENCY_KEY_REUSED', 'NAMING_AUTHORITY_FORBIDDEN', 'OVERLOADED'] as const),
  )
  async mint(
    @Body() request: MintRequestDto,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const key = readIdempotencyKey(idempotencyKey);
    const order = readOrder(request, await this.authorities.current());
    requireMinting(caller, order);
    await this.budget.charge(order.namingAuthority, order.mintMetadataId ? 2 : 1, reply);
    const asked = { actor: caller, request: key === undefined ? null : { key, index: 0, hash: orderHash(order) } };
    const minted = await this.queue.mint({ order, asked });
    const shown = this.results.identifier(minted, caller);
    const written = new WrittenIdentifier(shown);
    void reply
      .status(statusOf(minted))
      .headers(locationHeader(locationOf(shown)))
      .header('etag', written.entityTag);
    const replayed = minted.outcome === 'replayed' || minted.outcome === 'found';
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return written.answer(reply, { metadataRecord: this.results.metadataRecord(minted, caller) });
  }
}
