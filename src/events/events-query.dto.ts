import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { DEFAULT_PAGE_LIMIT, Digits, IsPageLimit } from '../http/page-limit.js';
import { ApiProperty } from '../openapi/annotations.js';

/** Proxies and clients give up on a request after a minute. */
const MAX_WAIT_SECONDS = 60;
const DEFAULT_WAIT_SECONDS = 0;
const WAIT_MESSAGE = `wait must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}`;

/** How long an answer may be. */
class LimitedQueryDto {
  /** How many to answer at most. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;
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
