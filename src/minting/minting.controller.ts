import { Body, Controller, Headers, HttpStatus, Inject, Post, Res } from '@nestjs/common';
import { ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { SYNTAX_CODES, type Resolver } from '../identifier/index.js';
import { ApiProblems } from '../problem/api-problems.js';
import { IdentifierPresenter, entityTag, locationOf } from '../record/identifier-presenter.js';
import type { IdentifierDto } from '../record/identifier.dto.js';
import { RESOLVER } from '../record/rendering.module.js';
import { readIdempotencyKey } from './idempotency-key.js';
import { readOrder } from './mint-order.js';
import { MintRequestDto, MintedIdentifierDto } from './mint-request.dto.js';
import { type Minted, MintingService } from './minting.service.js';

const HEADERS = {
  Location: { description: 'The path of the identifier.', schema: { type: 'string' as const } },
  ETag: { description: 'Entity tag of the representation.', schema: { type: 'string' as const } },
  'Idempotency-Replayed': {
    description: '"true" when an earlier request with the same key minted it.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
};

@ApiTags('identifiers')
@Controller('identifiers')
export class MintingController {
  constructor(
    private readonly minting: MintingService,
    private readonly presenter: IdentifierPresenter,
    @Inject(RESOLVER) private readonly resolver: Resolver,
  ) {}

  /**
   * Mint or register an identifier
   * @remarks
   * Mints one identifier, durably, before it answers. A repeat with the same `Idempotency-Key`, or with a metadata ID
   * that is known in the naming authority, answers the identifier that was minted already.
   */
  @Post()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a retry safe: a repeat of the request with the same key answers the identifier that it minted. A request that ' +
      'minted nothing, because its metadata ID was known, leaves its key free; its repeat finds the same identifier.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10',
  })
  @ApiResponse({ status: 201, description: 'Minted.', type: MintedIdentifierDto, headers: HEADERS })
  @ApiResponse({
    status: 200,
    description: 'The metadata ID is known in this naming authority: the identifier it describes.',
    type: MintedIdentifierDto,
    headers: { Location: HEADERS.Location, ETag: HEADERS.ETag },
  })
  @ApiProblems(
    ...(['MALFORMED_JSON', 'INVALID_REQUEST', 'INVALID_IDEMPOTENCY_KEY'] as const),
    ...SYNTAX_CODES,
    ...(['METADATA_ID_TAKEN', 'GUID_TAKEN', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
    ...(['UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY', 'METADATA_ID_IS_IDENTIFIER'] as const),
    'IDEMPOTENCY_KEY_REUSED',
  )
  async mint(
    @Body() request: MintRequestDto,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MintedIdentifierDto> {
    const requestKey = readIdempotencyKey(idempotencyKey);
    const minted = await this.minting.mint(readOrder(request, this.resolver), requestKey);
    const [shown, metadataRecord] = await this.show(minted);
    void reply
      .status(minted.outcome === 'existing' ? HttpStatus.OK : HttpStatus.CREATED)
      .headers({ location: locationOf(shown), etag: entityTag(shown) });
    if (minted.outcome === 'replayed') void reply.header('idempotency-replayed', 'true');
    return { ...shown, metadataRecord };
  }

  private async show(minted: Minted): Promise<[IdentifierDto, IdentifierDto | null]> {
    const { record, metadataRecord } = minted;
    if (minted.outcome === 'created') {
      // Committed: from here to the answer nothing may fail, so nothing is read.
      const shown = this.presenter.render(record, minted.describes);
      return [shown, metadataRecord === null ? null : this.presenter.render(metadataRecord, [shown.identifier])];
    }
    return [
      await this.presenter.show(record),
      metadataRecord === null ? null : await this.presenter.show(metadataRecord),
    ];
  }
}
