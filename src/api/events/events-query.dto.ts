import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MAX_CURSOR_LENGTH } from '../../http/validation/cursor.js';
import { Optional } from '../../http/validation/optional.js';
import { DEFAULT_PAGE_LIMIT, Digits, IsPageLimit } from '../../http/validation/pagination.js';
import { ApiProperty } from '../../openapi/annotations.js';

/** Proxies and clients give up on a request after a minute. */
const MAX_WAIT_SECONDS = 60;
const DEFAULT_WAIT_SECONDS = 0;
const WAIT_MESSAGE = `wait must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}`;

/** The requested events. */
export class EventsQueryDto {
  /** Maximum number of items in the response. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /**
   * The position after which to start: `next` of the previous response, or the ID of an event. When absent, the
   * response starts at the beginning of the log.
   * @example "q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa"
   */
  @Optional()
  @MaxLength(MAX_CURSOR_LENGTH)
  @IsString()
  cursor?: string;

  /** How many seconds to wait for an event if there is none. Ignored for an event stream. */
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: DEFAULT_WAIT_SECONDS,
    required: false,
  })
  @Optional()
  @Digits()
  @Max(MAX_WAIT_SECONDS, { message: WAIT_MESSAGE })
  @Min(0, { message: WAIT_MESSAGE })
  @IsInt({ message: WAIT_MESSAGE })
  wait: number = DEFAULT_WAIT_SECONDS;

  /**
   * Return only events of this naming authority and its identifiers.
   * @example "100.102"
   */
  @Optional()
  @MaxLength(255)
  @IsString()
  namingAuthority?: string;
}
