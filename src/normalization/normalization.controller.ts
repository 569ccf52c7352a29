import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { OnlyReads } from '../http/overload.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiOnlyProblems, ApiProblems } from '../problem/api-problems.js';
import { ApiIdentifierParam } from '../record/api-identifier-param.js';
import { UrisDto } from '../record/identifier.dto.js';
import { NormalizationService } from './normalization.service.js';
import { NormalizeAnswerDto } from './normalize-answer.dto.js';
import { NormalizeRequestDto } from './normalize-request.dto.js';

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
   * @remarks
   * Canonical form, parts, URIs and repairs of up to 10,000 texts. Each is judged for itself: a malformed one gets its
   * error, the others their answers. Nothing is looked up.
   */
  @Post('normalize')
  @OnlyReads()
  @HttpCode(HttpStatus.OK)
  @ApiResponse({ status: 200, description: 'An answer for each text, in order.', type: NormalizeAnswerDto })
  @ApiOnlyProblems('MALFORMED_JSON', 'INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', ...ALWAYS)
  normalize(@Body() request: NormalizeRequestDto): NormalizeAnswerDto {
    return { items: request.items.map((item) => this.normalization.normalize(item)) };
  }

  /**
   * Render an identifier as URIs
   * @remarks
   * Takes any spelling, as the resolution of identifiers does; the identifier need not be registered.
   */
  @Get('identifiers/:identifier/uris')
  @ApiTags('identifiers')
  @ApiIdentifierParam()
  @ApiResponse({ status: 200, description: 'Its URIs in canonical form.', type: UrisDto })
  @ApiProblems('MALFORMED_URL', ...SYNTAX_CODES)
  async uris(@Param('identifier') identifier: string, @CurrentCaller() caller: Caller): Promise<UrisDto> {
    return this.normalization.uris(identifier, caller);
  }
}
