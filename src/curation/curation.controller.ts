import {
  Body,
  Controller,
  type ExecutionContext,
  HttpCode,
  HttpStatus,
  Patch,
  Post,
  Req,
  Res,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askedBy } from '../access/asked.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../http/api-idempotency-key.js';
import { readIfMatch } from '../http/entity-tags.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiBody, ApiConsumes, ApiHeader, ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import type { ProblemCode } from '../problem/catalogue.js';
import { Problem } from '../problem/problem.js';
import { ApiIdentifierParam } from '../record/api-identifier-param.js';
import { IdentifierDto } from '../record/identifier.dto.js';
import { entityTag } from '../record/identifier-presenter.js';
import type { Settled } from '../record/outcomes.js';
import { ChangeRequestDto } from './change-request.dto.js';
import { type Asked, CurationService } from './curation.service.js';
import { WithdrawRequestDto } from './withdraw-request.dto.js';

const text = { schema: { type: 'string' as const } };

const ALWAYS: readonly ProblemCode[] = [
  ...(['MALFORMED_JSON', 'INVALID_REQUEST', 'INVALID_PRECONDITION', 'INVALID_IDEMPOTENCY_KEY'] as const),
  ...(['MALFORMED_URL', 'IDENTIFIER_NOT_FOUND', 'WRONG_STATE', 'REQUEST_IN_FLIGHT', 'PRECONDITION_FAILED'] as const),
  ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_KEY_REUSED', 'OUTCOME_UNKNOWN'] as const),
  ...(['NAMING_AUTHORITY_FORBIDDEN'] as const),
  ...SYNTAX_CODES,
];
const OF_NAMES = ['METADATA_ID_TAKEN', 'ALTERNATE_ID_TAKEN', 'METADATA_ID_IS_IDENTIFIER'] as const;

/** What all changes of an identifier have in common in OpenAPI. */
function ApiChange(ifMatch: 'required' | 'optional', ...codes: ProblemCode[]): MethodDecorator {
  return applyDecorators(
    ApiIdentifierParam(),
    ApiHeader({
      name: 'If-Match',
      required: ifMatch === 'required',
      description:
        '`ETag` of the representation that is to be changed, several of them, or `*` for whatever it is now.',
      ...text,
    }),
    ApiIdempotencyKey(),
    ApiResponse({
      status: 200,
      description: 'The identifier as it is now.',
      type: IdentifierDto,
      headers: {
        ETag: { description: 'Entity tag of the representation.', ...text },
        ...REPLAYED_HEADER,
      },
    }),
    ApiProblems(...ALWAYS, ...codes),
  );
}

/** Gives a handler who wants which identifier changed, and on what condition. */
const AskedFor = createParamDecorator((_: unknown, context: ExecutionContext): Asked => {
  const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: { identifier: string } }>>();
  return {
    ...askedBy(request),
    identifier: request.params.identifier,
    ifMatch: readIfMatch(request.headers['if-match']),
  };
});

@ApiTags('identifiers')
@Requires('curate')
@Controller('identifiers/:identifier')
export class CurationController {
  constructor(private readonly curation: CurationService) {}

  /**
   * Change an identifier
   * @remarks
   * Changes metadata ID, target and alternate identifiers; a member that is absent stays as it is (RFC 7396). Of
   * several changes that start from one entity tag, one takes place. One that changes nothing makes no new version.
   */
  @Patch()
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiChange('required', 'PRECONDITION_REQUIRED', ...OF_NAMES)
  async change(
    @AskedFor() asked: Asked,
    @Body() request: ChangeRequestDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    if (asked.ifMatch !== undefined) return answer(await this.curation.change(asked, request), reply);
    const detail = 'send If-Match with the ETag of the representation that the change starts from';
    throw new Problem('PRECONDITION_REQUIRED', `To overwrite no change of others, ${detail}.`, {
      errors: [{ pointer: '#header/If-Match', detail }],
    });
  }

  /**
   * Activate a reserved identifier
   * @remarks
   * The body is optional; it may change the identifier in the same step.
   */
  @Post('activate')
  @Requires('mint', 'curate')
  @HttpCode(HttpStatus.OK)
  @ApiBody({ type: ChangeRequestDto, required: false })
  @ApiChange('optional', ...OF_NAMES)
  async activate(
    @AskedFor() asked: Asked,
    @Body() request: ChangeRequestDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    return answer(await this.curation.activate(asked, request), reply);
  }

  /**
   * Withdraw an identifier
   * @remarks
   * From now on it answers 410 with a tombstone. Nothing is deleted, and its GUID is never used again.
   */
  @Post('withdraw')
  @HttpCode(HttpStatus.OK)
  @ApiChange('optional', 'REPLACEMENT_NOT_FOUND')
  async withdraw(
    @AskedFor() asked: Asked,
    @Body() request: WithdrawRequestDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    return answer(await this.curation.withdraw(asked, request), reply);
  }

  /**
   * Reinstate a withdrawn identifier
   * @remarks
   * It is active again, without its tombstone. The request has no body.
   */
  @Post('reinstate')
  @HttpCode(HttpStatus.OK)
  @ApiChange('optional')
  async reinstate(
    @AskedFor() asked: Asked,
    @Req() { body }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    requireNothing(body);
    return answer(await this.curation.reinstate(asked), reply);
  }
}

function answer({ outcome, replayed }: Settled<IdentifierDto>, reply: FastifyReply): IdentifierDto {
  void reply.header('etag', entityTag(outcome));
  if (replayed) void reply.header('idempotency-replayed', 'true');
  return outcome;
}

/** @throws Problem INVALID_REQUEST for a body with anything in it, which would be ignored without a word. */
function requireNothing(body: unknown): void {
  if (body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0)) return;
  throw new Problem('INVALID_REQUEST', 'This request has no body.', {
    errors: [{ pointer: '', detail: 'expected nothing, or {}' }],
  });
}
