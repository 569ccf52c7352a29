import { Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ValidBody } from '../../http/validation/request-validation.js';
import { setRateLimitHeaders } from '../../access/limits/limits.guard.js';
import { Context } from '../../access/current-principal.js';
import type { RequestContext } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../../http/headers/idempotency-key.js';
import { SYNTAX_CODES } from '@mintmark/identifier';
import { ApiResponse, ApiTags } from '../../openapi/annotations.js';
import { ApiProblems } from '../../problem/api-problems.js';
import { MintPresenter } from './mint-presenter.js';
import { MintRequestDto, MintedIdentifierDto } from './mint-request.dto.js';
import { MintingService } from '../../minting/minting.service.js';
import { UpsertsService } from '../../changing/upserts.service.js';

const HEADERS = {
  Location: {
    description: 'The path of the identifier. Absent where it is too long for a header.',
    schema: { type: 'string' as const },
  },
  ETag: { description: 'Entity tag of the representation.', schema: { type: 'string' as const } },
  ...REPLAYED_HEADER,
};

@ApiTags('identifiers')
@Controller('identifiers')
export class MintingController {
  constructor(
    private readonly minting: MintingService,
    private readonly upserts: UpsertsService,
    private readonly presenter: MintPresenter,
  ) {}

  /**
   * Mint or register an identifier
   * @remarks The identifier is durable when the response is sent. A repeat with the same `Idempotency-Key` returns the
   * same identifier. If an identifier of the naming authority already has the metadata ID, the response is that identifier, provided
   * that the members of the request agree with it as it was minted or as it is now; otherwise the status is 409. With
   * `onExisting: "update"`, which also requires the scope `curate`, it gets the `target`, the `language` and the `alternateIds`.
   */
  @Post()
  @Requires('mint', 'register')
  @ApiIdempotencyKey()
  @ApiResponse({ status: 201, description: 'Minted.', type: MintedIdentifierDto, headers: HEADERS })
  @ApiResponse({
    status: 200,
    description:
      'The identifier that already has this metadata ID in the naming authority, after an update if one is requested.',
    type: MintedIdentifierDto,
    headers: HEADERS,
  })
  @ApiProblems(
    ...(['MALFORMED_JSON', 'INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY'] as const),
    ...SYNTAX_CODES,
    ...([
      'METADATA_ID_TAKEN',
      'GUID_TAKEN',
      'IDENTIFIER_TAKEN',
      'ALTERNATE_ID_TAKEN',
      'KEY_COLLISION',
      'REQUEST_IN_FLIGHT',
      'WRONG_STATE',
    ] as const),
    ...([
      'BODY_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'WRONG_PROFILE',
      'WRONG_METADATA_ID_SCHEME',
      'OUTCOME_UNKNOWN',
    ] as const),
    ...(['UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY', 'METADATA_ID_IS_IDENTIFIER'] as const),
    ...(['INVALID_PREDECESSOR', 'RECORD_TOO_LARGE'] as const),
    ...(['IDEMPOTENCY_KEY_REUSED', 'NAMING_AUTHORITY_FORBIDDEN', 'OVERLOADED'] as const),
  )
  async mint(
    @ValidBody() request: MintRequestDto,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const service = request.onExisting === 'update' ? this.upserts : this.minting;
    const outcome = await service.mint(request, context, (quota, taken) => {
      setRateLimitHeaders(reply, 'naming-authority', quota, taken);
    });
    return this.presenter.respond(reply, outcome, context.principal);
  }
}
