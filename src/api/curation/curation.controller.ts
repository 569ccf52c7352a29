import {
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
import { ValidBody } from '../../http/validation/request-validation.js';
import { requestContextOf } from '../../access/current-principal.js';
import type { RequestContext } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ApiReturnsOnce } from '../../http/headers/idempotency-key.js';
import {
  ApiIfMatch,
  ApiIfNoneMatch,
  type EntityTags,
  readIfMatch,
  recordTagOf,
  requireIfMatch,
  requireMatch,
  requireNoneMatch,
} from '../../http/headers/entity-tags.js';
import { requireReadOnly } from '../../http/validation/read-only.js';
import { requireNoBody } from '../../http/body/body-limits.js';
import { SYNTAX_CODES } from '@mintmark/identifier';
import { ApiBody, ApiConsumes, ApiTags, textHeader } from '../../openapi/annotations.js';
import { ApiProblems, BODY_CODES, IDEMPOTENCY_CODES } from '../../problem/api-problems.js';
import type { ProblemCode } from '../../problem/catalogue.js';
import { type IdentifierSnapshot, serializeRecord } from '../../registry/identifier-record.js';
import { ApiIdentifierParam, IDENTIFIER_POINTER, IdentifierDto } from '../representation/identifier.dto.js';
import type { CurationCommand } from '../../changing/curation-command.js';
import { CurationService } from '../../changing/curation.service.js';
import { ActivateIdentifierDto, UpdateIdentifierDto } from './update-identifier.dto.js';
import { WithdrawRequestDto } from '../representation/withdraw-request.dto.js';

const ALWAYS: readonly ProblemCode[] = [
  ...BODY_CODES,
  ...(['INVALID_PRECONDITION', 'WRONG_STATE', ...IDEMPOTENCY_CODES, 'MALFORMED_URL'] as const),
  ...(['IDENTIFIER_NOT_FOUND', 'PRECONDITION_FAILED', 'NAMING_AUTHORITY_FORBIDDEN'] as const),
  ...SYNTAX_CODES,
];
const OF_NAMES = [
  ...(['METADATA_ID_TAKEN', 'ALTERNATE_ID_TAKEN', 'KEY_COLLISION'] as const),
  ...(['METADATA_ID_IS_IDENTIFIER', 'INVALID_PREDECESSOR', 'RECORD_TOO_LARGE'] as const),
];

function ApiChange(ifMatch: 'required' | 'optional', codes: readonly ProblemCode[], example?: string): MethodDecorator {
  return applyDecorators(
    ApiIdentifierParam(example),
    ApiIfMatch(ifMatch === 'required'),
    ApiIfNoneMatch(),
    ApiReturnsOnce(IdentifierDto, 'The updated identifier.', { ETag: textHeader('Entity tag of the representation.') }),
    ApiProblems(...ALWAYS, ...codes),
  );
}

interface Target extends RequestContext {
  readonly identifier: string;
  readonly ifMatch: EntityTags | undefined;
  readonly ifNoneMatch: string | undefined;
}

const ChangeTarget = createParamDecorator((_: unknown, context: ExecutionContext): Target => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest<{ Params: { identifier: string } }>>();
  return {
    ...requestContextOf(request, http.getResponse<FastifyReply>()),
    identifier: request.params.identifier,
    ifMatch: readIfMatch(request.headers['if-match']),
    ifNoneMatch: request.headers['if-none-match'],
  };
});

@ApiTags('identifiers')
@Requires('curate')
@Controller('identifiers/:identifier')
export class CurationController {
  constructor(private readonly curation: CurationService) {}

  /**
   * Change an identifier
   * @remarks Changes the metadata ID, the target, its language, the alternate identifiers and the previous version; an absent member is not
   * changed (RFC 7396). The body can be the complete representation that was read: read-only members with their current values are ignored.
   * Only the metadata ID and the alternate identifiers of a withdrawn identifier can be changed. If several changes are based on the same
   * entity tag, only one succeeds. A request that changes nothing creates no new version.
   */
  @Patch()
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiChange('required', ['PRECONDITION_REQUIRED', 'READ_ONLY_MEMBER', ...OF_NAMES])
  async change(
    @ChangeTarget() target: Target,
    @ValidBody() request: UpdateIdentifierDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    requireIfMatch(target.ifMatch, 'send If-Match with the ETag of the representation that the change is based on');
    return this.run(target, { step: 'changed', values: request }, reply);
  }

  /**
   * Activate a reserved identifier
   * @remarks The optional body changes the identifier in the same step. The metadata record that was minted with the identifier
   * (`mintMetadataId`) is activated in the same transaction.
   */
  @Post('activate')
  @Requires('mint', 'curate')
  @HttpCode(HttpStatus.OK)
  @ApiBody({ type: ActivateIdentifierDto, required: false })
  @ApiChange('optional', ['READ_ONLY_MEMBER', ...OF_NAMES], '100.102/3D9C7A10B54E4C6F8A2B1E0D9F8C7B6A')
  async activate(
    @ChangeTarget() target: Target,
    @ValidBody() { metadataTarget, ...values }: ActivateIdentifierDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    const command = { step: 'activated', values, ...(metadataTarget !== undefined && { metadataTarget }) } as const;
    return this.run(target, command, reply);
  }

  /**
   * Withdraw an identifier
   * @remarks `GET` of a withdrawn identifier returns 410 with a tombstone, or 451 after a withdrawal for a `legal` reason. The resolver of
   * this service (`GET /{NA}/{localName}`) redirects an identifier that is withdrawn as a `duplicate` to the destination of its
   * replacement. A withdrawn identifier is not deleted, and its GUID is never used again. If a reserved metadata record was minted with a
   * reserved identifier, the withdrawal ends both reservations. The metadata record of an active identifier stays active.
   */
  @Post('withdraw')
  @HttpCode(HttpStatus.OK)
  @ApiChange('optional', ['REPLACEMENT_NOT_FOUND', 'RESERVED_REASON_CODE'])
  async withdraw(
    @ChangeTarget() target: Target,
    @ValidBody() request: WithdrawRequestDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    return this.run(target, { ...request, step: 'withdrawn' }, reply);
  }

  /**
   * Reinstate a withdrawn identifier
   * @remarks The identifier becomes active and loses its tombstone, even if it was released or its lease has ended. The request has no
   * body.
   */
  @Post('reinstate')
  @HttpCode(HttpStatus.OK)
  @ApiChange('optional', [])
  async reinstate(
    @ChangeTarget() target: Target,
    @Req() { body }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierDto> {
    requireNoBody(body);
    return this.run(target, { step: 'reinstated' }, reply);
  }

  private async run(target: Target, command: CurationCommand, reply: FastifyReply): Promise<IdentifierDto> {
    const { ifMatch, ifNoneMatch, ...context } = target;
    const requireCurrent = (snapshot: IdentifierSnapshot): void => {
      if (ifMatch !== undefined) requireMatch(ifMatch, snapshot, 'identifier');
      if (ifNoneMatch === undefined && !('values' in command)) return;
      const current = serializeRecord(snapshot, snapshot.uris);
      if (ifNoneMatch !== undefined) requireNoneMatch(ifNoneMatch, recordTagOf(current));
      if ('values' in command) requireReadOnly(UpdateIdentifierDto, command.values, current);
    };
    const { result, replayed, repairs } = await this.curation.run(
      { ...context, pointer: IDENTIFIER_POINTER, precondition: { ifMatch, ifNoneMatch }, requireCurrent },
      command,
    );
    const shown = serializeRecord(result, result.uris);
    void reply.header('etag', recordTagOf(shown));
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return repairs.length > 0 ? { ...shown, repairs } : shown;
  }
}
