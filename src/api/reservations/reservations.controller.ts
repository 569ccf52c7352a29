import { Controller, Get, HttpCode, HttpStatus, Param, Post, Res, applyDecorators } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ValidBody } from '../../http/validation/request-validation.js';
import { Context, CurrentPrincipal } from '../../access/current-principal.js';
import type { RequestContext, Principal } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ApiReturnsOnce } from '../../http/headers/idempotency-key.js';
import { LargeBody, TakesCount } from '../../http/body/body-limits.js';
import { routeSettings } from '../../http/route-settings.js';
import { ApiBody, ApiParam, ApiReturns, ApiTags, textHeader } from '../../openapi/annotations.js';
import { ApiProblems, BODY_CODES, IDEMPOTENCY_CODES, PREFIX_CODES } from '../../problem/api-problems.js';
import { ReservationDto, ReservationReportDto, presentReport } from './reservation-response.dto.js';
import { CreateReservationDto, ReservationMembersDto } from './reservation-request.dto.js';
import { parseReservation } from '../../reserving/reservation.js';
import { ReservationService } from '../../reserving/reservations.service.js';
import type { Settlement } from '../../reserving/settlement.js';

const ID = { name: 'id', description: 'The ID of the reservation.', schema: { type: 'string', format: 'uuid' } };

const ID_POINTER = '#path/id';

const OF_A_CHANGE = [...BODY_CODES, ...IDEMPOTENCY_CODES, 'NAMING_AUTHORITY_FORBIDDEN'] as const;

const Settles = (action: 'activate' | 'release'): MethodDecorator =>
  applyDecorators(
    Post(`:id/${action}`),
    Requires('mint', 'curate'),
    LargeBody(),
    routeSettings({ inParts: true }),
    HttpCode(HttpStatus.OK),
    ApiParam(ID),
    ApiBody({ type: ReservationMembersDto, required: false }),
    ApiReturnsOnce(ReservationReportDto, 'One result for each identifier.'),
    ApiProblems('MALFORMED_URL', ...OF_A_CHANGE, 'RESERVATION_NOT_FOUND'),
  );

@ApiTags('reservations')
@Controller('reservations')
export class ReservationController {
  constructor(private readonly reservations: ReservationService) {}

  /**
   * Reserve identifiers
   * @remarks Reserves up to 10,000 identifiers, all of them or none. Each identifier must be activated before the lease ends; otherwise,
   * the identifier counts as withdrawn from that time.
   */
  @Post()
  @Requires('mint')
  @TakesCount()
  @ApiReturnsOnce(ReservationDto, 'Reserved.', { Location: textHeader('The path of the reservation.') }, 201)
  @ApiProblems(...OF_A_CHANGE, ...PREFIX_CODES, 'UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY')
  async reserve(
    @ValidBody() request: CreateReservationDto,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationDto> {
    const { result, replayed } = await this.reservations.reserve(context, parseReservation(request));
    void reply.header('location', `/reservations/${result.id}`);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return result;
  }

  /**
   * Get a reservation
   * @remarks Includes the identifiers that are still reserved.
   */
  @Get(':id')
  @Requires('read')
  @ApiParam(ID)
  @ApiReturns(ReservationDto, 'The reservation.')
  @ApiProblems('MALFORMED_URL', 'RESERVATION_NOT_FOUND')
  async find(@Param('id') id: string, @CurrentPrincipal() principal: Principal): Promise<ReservationDto> {
    return this.reservations.find(id, principal);
  }

  /**
   * Activate reserved identifiers
   * @remarks Activates all remaining identifiers, or those in the body, and sets no values. To activate identifiers with targets, use
   * `POST /identifiers/changes` with `"activate": true`. Identifiers that cannot be activated are skipped, and their results have the
   * reason.
   */
  @Settles('activate')
  async activate(
    @Param('id') id: string,
    @ValidBody() selection: ReservationMembersDto,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    return this.settle('activated', id, selection, context, reply);
  }

  /**
   * Release reserved identifiers
   * @remarks Releases all remaining identifiers, or those in the body. They are withdrawn with the reason code `released`, and their GUIDs
   * are never given to another identifier. `POST /identifiers/{identifier}/reinstate` makes a released identifier active, like any other
   * withdrawn identifier.
   */
  @Settles('release')
  async release(
    @Param('id') id: string,
    @ValidBody() selection: ReservationMembersDto,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    return this.settle('released', id, selection, context, reply);
  }

  private async settle(
    settlement: Settlement,
    id: string,
    { items }: ReservationMembersDto,
    context: RequestContext,
    reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    const command = { id, pointer: ID_POINTER, settlement, items };
    const { result, replayed } = await this.reservations.settle(context, command);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    const action = settlement === 'activated' ? 'activate' : 'release';
    return presentReport(result, `/reservations/${id}/${action}`);
  }
}
