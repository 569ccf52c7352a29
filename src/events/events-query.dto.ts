import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const LIMIT_MESSAGE = `limit must be a whole number from 1 to ${MAX_LIMIT}`;

/** Proxies and clients give up on a request after a minute. */
const MAX_WAIT_SECONDS = 60;
const DEFAULT_WAIT_SECONDS = 0;
const WAIT_MESSAGE = `wait must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}`;

/** Reads the digits of a query parameter; anything else is left to the rules of the field. */
const Digits = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^[0-9]{1,4}$/.test(value) ? Number(value) : value,
  );

/** How long an answer may be. */
class LimitedQueryDto {
  /** How many to answer at most. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, required: false })
  @MayBeAbsent()
  @Digits()
  @Max(MAX_LIMIT, { message: LIMIT_MESSAGE })
  @Min(1, { message: LIMIT_MESSAGE })
  @IsInt({ message: LIMIT_MESSAGE })
  limit: number = DEFAULT_LIMIT;
}

/** Which page of a history is wanted. */
export class HistoryQueryDto extends LimitedQueryDto {
  /**
   * Where the page starts: `next` of the page before.
   * @example "MTA"
   */
  @MayBeAbsent()
  @MaxLength(64)
  @IsString()
  cursor?: string;
}

/** Which events are wanted. */
export class EventsQueryDto extends LimitedQueryDto {
  /**
   * Behind which place to start: `next` of the answer before, or the id of an event. Without it, the log starts at its beginning.
   * @example "MTAyNCA3"
   */
  @MayBeAbsent()
  @MaxLength(64)
  @IsString()
  after?: string;

  /** How many seconds to wait for an event when there is none yet. A stream of events has no use for it. */
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: DEFAULT_WAIT_SECONDS,
    required: false,
  })
  @MayBeAbsent()
  @Digits()
  @Max(MAX_WAIT_SECONDS, { message: WAIT_MESSAGE })
  @Min(0, { message: WAIT_MESSAGE })
  @IsInt({ message: WAIT_MESSAGE })
  wait: number = DEFAULT_WAIT_SECONDS;

  /**
   * Only events of this naming authority and its identifiers.
   * @example "100.102"
   */
  @MayBeAbsent()
  @MaxLength(255)
  @IsString()
  namingAuthority?: string;
}
