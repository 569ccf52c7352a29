import { Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ValidBody } from '../../http/validation/request-validation.js';
import { Context } from '../../access/current-principal.js';
import type { RequestContext } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../../http/headers/idempotency-key.js';
import { SYNTAX_CODES } from '@mintmark/identifier';
import { ApiReturns, ApiTags, textHeader } from '../../openapi/annotations.js';
import { ApiProblems, BODY_CODES, IDEMPOTENCY_CODES } from '../../problem/api-problems.js';
import { MintPresenter } from './mint-presenter.js';
import { MintRequestDto, MintedIdentifierDto } from './mint-request.dto.js';
import { MintingService } from '../../minting/minting.service.js';
import { UpsertsService } from '../../changing/upserts.service.js';

const HEADERS = {
  Location: textHeader('The path of the identifier. Absent if it is too long for a header.'),
  ETag: textHeader('Entity tag of the representation.'),
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
   * @remarks The identifier is durable when the response is sent. A repeat with the same `Idempotency-Key` returns the same identifier. If
   * an identifier of the naming authority already has the metadata ID, the response is that identifier, provided that each member of the
   * request agrees with its value as minted or with its current value; otherwise, the status is 409. With `onExisting: "update"`, which
   * also requires the scope `curate`, the existing identifier gets the `target`, the `language` and the `alternateIds` of the request.
   */
  @Post()
  @Requires('mint', 'register')
  @ApiIdempotencyKey()
  @ApiReturns(MintedIdentifierDto, 'Minted.', HEADERS, 201)
  @ApiReturns(
    MintedIdentifierDto,
    'The identifier that already has this metadata ID in the naming authority, after an update if one is requested.',
    HEADERS,
  )
  @ApiProblems(
    ...(['MALFORMED_JSON', 'INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY'] as const),
    ...SYNTAX_CODES,
    ...(['METADATA_ID_TAKEN', 'GUID_TAKEN', 'IDENTIFIER_TAKEN', 'ALTERNATE_ID_TAKEN', 'KEY_COLLISION'] as const),
    ...(['REQUEST_IN_FLIGHT', 'WRONG_STATE', 'WRONG_PROFILE', 'WRONG_METADATA_ID_SCHEME'] as const),
    ...(['UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY', 'METADATA_ID_IS_IDENTIFIER'] as const),
    ...(['INVALID_PREDECESSOR', 'RECORD_TOO_LARGE', 'NAMING_AUTHORITY_FORBIDDEN'] as const),
    ...([...BODY_CODES, ...IDEMPOTENCY_CODES, 'OVERLOADED'] as const),
  )
  async mint(
    @ValidBody() request: MintRequestDto,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const service = request.onExisting === 'update' ? this.upserts : this.minting;
    const outcome = await service.mint(request, context);
    return this.presenter.respond(reply, outcome, context.principal);
  }
}
