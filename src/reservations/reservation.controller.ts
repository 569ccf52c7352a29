import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Res, applyDecorators } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Asked, AskedBy } from '../access/asked.js';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../http/api-idempotency-key.js';
import { SYNTAX_CODES } from '../identifier/index.js';
import { ApiBody, ApiParam, ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import type { ServiceCode } from '../problem/catalogue.js';
import type { Settled } from '../record/outcomes.js';
import { ReservationDto, ReservationReportDto } from './reservation-answer.dto.js';
import { ReservationRequestDto, SelectionDto } from './reservation-request.dto.js';
import { ReservationService } from './reservation.service.js';

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

/** What both ways to settle a reservation have in common. */
const Settles = (action: 'activate' | 'release'): MethodDecorator =>
  applyDecorators(
    Post(`:id/${action}`),
    Requires('mint', 'curate'),
    HttpCode(HttpStatus.OK),
    ApiParam(ID),
    ApiIdempotencyKey(),
    ApiBody({ type: SelectionDto, required: false }),
    ApiResponse({
      status: 200,
      description: 'What became of each.',
      type: ReservationReportDto,
      headers: REPLAYED_HEADER,
    }),
    ApiProblems('MALFORMED_URL', ...OF_A_CHANGE, 'RESERVATION_NOT_FOUND'),
  );

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
    @AskedBy() asked: Asked,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationDto> {
    const reserved = answer(await this.reservations.reserve(asked, request), reply);
    void reply.header('location', `/reservations/${reserved.id}`);
    return reserved;
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
  @Settles('activate')
  async activate(
    @Param('id') id: string,
    @Body() selection: SelectionDto,
    @AskedBy() asked: Asked,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    return answer(await this.reservations.settle(id, 'activated', asked, selection.identifiers), reply);
  }

  /**
   * Release reserved identifiers
   * @remarks
   * All that are left, or those that the body names. They are withdrawn, and their GUIDs are never used again.
   */
  @Settles('release')
  async release(
    @Param('id') id: string,
    @Body() selection: SelectionDto,
    @AskedBy() asked: Asked,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReservationReportDto> {
    return answer(await this.reservations.settle(id, 'released', asked, selection.identifiers), reply);
  }
}

function answer<T>({ outcome, replayed }: Settled<T>, reply: FastifyReply): T {
  if (replayed) void reply.header('idempotency-replayed', 'true');
  return outcome;
}
