import { Matches, MaxLength } from 'class-validator';
import { MAX_CURSOR_LENGTH } from '../../http/cursor.js';
import { Optional } from '../../http/validation/member-decorators.js';
import { DEFAULT_PAGE_LIMIT, Digits, IsPageLimit } from '../../http/validation/page-query.dto.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { CHANGE_KINDS, type ChangeKind } from '../../registry/change.js';
import { LOG_ORDERS, type LogOrder } from '../../storage/changes/log-page.js';
import { IsWholeNumber, OptionalChoice, OptionalText } from '../../http/validation/described-members.js';

/** Many proxies and clients end a request after a minute. */
const MAX_WAIT_SECONDS = 60;

/** The requested events. */
export class EventsQueryDto {
  /** Maximum number of items in the response. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /**
   * The position after which to start: `next` of the previous response, the ID of an event, or `latest` for the present end of the log. If
   * absent, the response starts at the beginning of the log. With `sort=-at`: `next` of the previous response with this `sort`. If absent,
   * or `latest`, the response starts with the last event.
   * @example "q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa"
   */
  @MaxLength(MAX_CURSOR_LENGTH)
  @OptionalText()
  cursor?: string;

  /** How many seconds to wait if there is no event. Ignored for an event stream and with `sort=-at`. */
  @ApiProperty({ default: 0, required: false })
  @Optional()
  @Digits()
  @IsWholeNumber(0, MAX_WAIT_SECONDS, 'of seconds ')
  wait = 0;

  /** Return only events of this naming authority and its identifiers. */
  @MaxLength(255)
  @OptionalText()
  namingAuthority?: string;

  /** Return only events of this kind. */
  @OptionalChoice(CHANGE_KINDS, { enumName: 'ChangeKind' })
  kind?: ChangeKind;

  /**
   * Return only events that this client caused. Requires an API key if the service hides clients from requests without a key.
   * @example "repository"
   */
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, { message: 'client must be the name of a client' })
  @MaxLength(100)
  @OptionalText()
  client?: string;

  /** The order: `at` for the order of the log (by transaction number, not by time), or `-at` for the reverse order. */
  @OptionalChoice(LOG_ORDERS, { default: 'at' }, 'sort must be at or -at')
  sort: LogOrder = 'at';
}
