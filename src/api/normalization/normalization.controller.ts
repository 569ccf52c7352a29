import { Controller, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidBody } from '../../http/validation/request-validation.js';
import { CurrentPrincipal } from '../../access/current-principal.js';
import type { Principal } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { LargeBody, isSmallBody } from '../../http/body/body-limits.js';
import { sendList, sendShortList } from '../../http/body/list-response.js';
import { OnlyReads } from '../../http/route-settings.js';
import { SYNTAX_CODES } from '@mintmark/identifier';
import { ApiReturns, ApiTags } from '../../openapi/annotations.js';
import { ApiOnlyProblems, ApiProblems, BODY_CODES } from '../../problem/api-problems.js';
import { ApiIdentifierParam, IDENTIFIER_POINTER } from '../representation/identifier.dto.js';
import { NormalizationService, type NormalizeResult } from '../../finding/normalization.service.js';
import {
  type InvalidItemDto,
  NormalizeResponseDto,
  RenderedUrisDto,
  type ValidItemDto,
} from './normalize-response.dto.js';
import { NormalizeRequestDto } from './normalize-request.dto.js';

/** Length of the texts whose results are serialized together, in UTF-16 code units. A result can take fifty times the length of its text. */
const GROUP_LENGTH = 2048;

const ALWAYS = [
  ...(['UNAUTHENTICATED', 'SCOPE_MISSING', 'RATE_LIMITED', 'CONCURRENCY_LIMITED'] as const),
  ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
] as const;

@ApiTags('syntax')
@Requires('read')
@Controller()
export class NormalizationController {
  constructor(private readonly normalization: NormalizationService) {}

  /**
   * Normalize identifiers
   * @remarks Returns the canonical form, components, URIs and repairs of up to 10,000 texts, each with its own result. A text is read by
   * the profile, the case rule and the resolver of its naming authority, if the client can see it; identifiers are not looked up.
   */
  @Post('normalize')
  @OnlyReads()
  @LargeBody()
  @HttpCode(HttpStatus.OK)
  @ApiReturns(NormalizeResponseDto, 'One result for each text, in the order of the request.')
  @ApiOnlyProblems(...BODY_CODES, ...ALWAYS)
  async normalize(
    @ValidBody() { items }: NormalizeRequestDto,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const results = responses(await this.normalization.normalizeAll(items, principal));
    await (isSmallBody(request) ? sendShortList : sendList)(reply, 'items', results);
  }

  /**
   * Get the URIs of an identifier
   * @remarks Accepts the identifier in any form; it need not be registered.
   */
  @Get('identifiers/:identifier/uris')
  @ApiIdentifierParam(undefined, 'A GUID alone is not a Handle and has none of these URIs: all members are null.')
  @ApiReturns(RenderedUrisDto, 'The canonical URIs of the identifier.')
  @ApiProblems('MALFORMED_URL', ...SYNTAX_CODES)
  async uris(
    @Param('identifier') identifier: string,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RenderedUrisDto> {
    return this.normalization.uris(identifier, principal, IDENTIFIER_POINTER);
  }
}

function* responses(results: Iterable<NormalizeResult>): Generator<(ValidItemDto | InvalidItemDto)[]> {
  let group: (ValidItemDto | InvalidItemDto)[] = [];
  let length = 0;
  for (const result of results) {
    group.push(responseOf(result));
    length += result.input.length;
    if (length < GROUP_LENGTH) continue;
    yield group;
    group = [];
    length = 0;
  }
  if (group.length > 0) yield group;
}

function responseOf(result: NormalizeResult): ValidItemDto | InvalidItemDto {
  const { input } = result;
  if (!result.valid) return { input, kind: result.kind, valid: false, error: result.fault };
  const { normalized, parts, uris, unavailable, omitted, equal, repairs } = result;
  const item: ValidItemDto = {
    input,
    kind: result.kind,
    valid: true,
    normalized,
    parts: parts as ValidItemDto['parts'],
    uris,
    unavailable,
    repairs: repairs as ValidItemDto['repairs'],
  };
  // These members are set afterwards, because spreading the item takes a microsecond.
  if (omitted !== undefined) item.omitted = [...omitted];
  if (equal !== undefined) item.equal = equal;
  return item;
}
