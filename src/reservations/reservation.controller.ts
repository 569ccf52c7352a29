import { Body, Controller, Get, Headers, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../http/api-idempotency-key.js';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiBody, ApiParam, ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import type { ServiceCode } from '../problem/catalogue.js';
import { ReservationDto, ReservationReportDto } from './reservation-answer.dto.js';
import { ReservationRequestDto, SelectionDto } from './reservation-request.dto.js';
import { type Asked, ReservationService, type Settlement } from './reservation.service.js';

const text = { schema: { type: 'string' as const } };

const ID = { name: 'id', description: 'The id of the reservation.', schema: { type: 'string', format: 'uuid' } };

const OF_A_CHANGE: readonly ServiceCode[] = [
  ...([
    'MALFORMED_JSON',
    'INVALID_REQUEST',
    'INVALID_IDEMPOTENCY_KEY',
    'REQUEST_IN_FLIGHT',
    'OUTCOME_UNKNOWN',
  ] as const),
  ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_KEY_REUSED'] as const),
  ...(['NAMING_AUTHORITY_FORBIDDEN'] as const),
];

@ApiTags('reservations')
@Controller('reservations')
export class ReservationController {
  constructor(private readonly reservations: ReservationService) {}

  /**
   * Reserve identifiers
   * @remarks
   * Reserves up to 10,000 identifiers, all of them or none. Each must be activated before the lease ends; one that is
   * not counts as withdrawn from that moment on.
   */
  @Post()
  @Requires('mint')
  @ApiIdempotencyKey()
  @ApiResponse({
    status: 201,
    description: 'Reserved.',
    type: ReservationDto,
    headers: { Location: { description: 'The path of the reservation.', ...text }, ...REPLAYED_HEADER },
  })
  @ApiProblems(...OF_A_CHANGE, ...SYNTAX_CODES, 'UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY')
  async reserve(
    @Body() request: ReservationRequestDto,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationDto> {
    const asked = { caller, idempotencyKey: readIdempotencyKey(key) };
    const { outcome, replayed } = await this.reservations.reserve(asked, request);
    void reply.header('location', `/reservations/${outcome.id}`);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return outcome;
  }

  /** See a reservation, and which of its identifiers are left */
  @Get(':id')
  @Requires('read')
  @ApiParam(ID)
  @ApiResponse({ status: 200, description: 'The reservation as it is now.', type: ReservationDto })
  @ApiProblems('MALFORMED_URL', 'RESERVATION_NOT_FOUND')
  async find(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<ReservationDto> {
    return this.reservations.find(id, caller);
  }

  /**
   * Activate reserved identifiers
   * @remarks
   * All that are left, or those that the body names. What cannot be activated is skipped, and the report says why.
   */
  @Post(':id/activate')
  @Requires('mint', 'curate')
  @HttpCode(HttpStatus.OK)
  @ApiParam(ID)
  @ApiIdempotencyKey()
  @ApiBody({ type: SelectionDto, required: false })
  @ApiResponse({
    status: 200,
    description: 'What became of each.',
    type: ReservationReportDto,
    headers: REPLAYED_HEADER,
  })
  @ApiProblems('MALFORMED_URL', ...OF_A_CHANGE, 'RESERVATION_NOT_FOUND')
  async activate(
    @Param('id') id: string,
    @Body() selection: SelectionDto,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    return this.settle(id, 'activated', selection, { caller, idempotencyKey: readIdempotencyKey(key) }, reply);
  }

  /**
   * Release reserved identifiers
   * @remarks
   * All that are left, or those that the body names. They are withdrawn, and their GUIDs are never used again.
   */
  @Post(':id/release')
  @Requires('mint', 'curate')
  @HttpCode(HttpStatus.OK)
  @ApiParam(ID)
  @ApiIdempotencyKey()
  @ApiBody({ type: SelectionDto, required: false })
  @ApiResponse({
    status: 200,
    description: 'What became of each.',
    type: ReservationReportDto,
    headers: REPLAYED_HEADER,
  })
  @ApiProblems('MALFORMED_URL', ...OF_A_CHANGE, 'RESERVATION_NOT_FOUND')
  async release(
    @Param('id') id: string,
    @Body() selection: SelectionDto,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    return this.settle(id, 'released', selection, { caller, idempotencyKey: readIdempotencyKey(key) }, reply);
  }

  private async settle(
    id: string,
    settlement: Settlement,
    { identifiers }: SelectionDto,
    asked: Asked,
    reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    const { outcome, replayed } = await this.reservations.settle(id, settlement, asked, identifiers);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return outcome;
  }
}
