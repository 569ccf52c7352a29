import { Controller, Get, Headers, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listText } from '../../http/body/list-response.js';
import { ValidQuery } from '../../http/validation/request-validation.js';
import { CurrentPrincipal } from '../../access/current-principal.js';
import type { Principal } from '../../access/principal.js';
import { ShortPlaces, holderOf } from '../../access/limits/places.js';
import { LongLived } from '../../access/limits/limits.guard.js';
import { Requires, ShowsHistory } from '../../access/requires.js';
import {
  ApiExtraModels,
  ApiHeader,
  ApiResponse,
  ApiTags,
  TEXT,
  getSchemaPath,
  textHeader,
} from '../../openapi/annotations.js';
import { ApiProblems, PREFIX_CODES } from '../../problem/api-problems.js';
import { Problem } from '../../problem/problem.js';
import { type EventDto, EventPageDto } from './event.dto.js';
import { EventCursors } from '../../history/event-cursors.js';
import { type ChangePage, EventLog, type LogQuery } from '../../history/event-log.js';
import { eventStream, eventOf } from './event-presenter.js';
import { EventsQueryDto } from './events-query.dto.js';
import type { LogOrder } from '../../storage/changes/log-page.js';
import { namedType } from '../../http/headers/accept.js';

/** Maximum number of events that a stream reads and serializes in one turn of the event loop. */
const MAX_STREAM_PAGE = 100;

@ApiTags('events')
@Requires('read')
@ShowsHistory()
@Controller('events')
export class EventsController {
  constructor(
    private readonly log: EventLog,
    private readonly cursors: EventCursors,
    private readonly places: ShortPlaces,
  ) {}

  /**
   * Read or stream the change log
   * @remarks Returns all changes since the beginning, each exactly once, in the order of transaction numbers. A transaction gets its number
   * with its first write, so the log is not in the order of commits, and `at` can decrease from one event to the next. The versions of one
   * identifier ascend. An event becomes visible when every transaction of the database with a smaller number has ended, so a long
   * transaction delays all later events. The end of a lease becomes an event when the service records it, up to half a minute later by
   * default; until then, the identifier is shown as withdrawn, with the version that the event will have. Continue at any time with `next`
   * as `cursor`. With `Accept: text/event-stream` the response is a stream of events: `id` is the cursor, `event` the kind, `data` the
   * event as JSON. If the key expires or is revoked, the stream ends with an event `problem` whose `data` is the problem document.
   *
   * `end` is true if the log has no further events at present. Only then should a reader stop or wait. Filters have no index, so a request
   * with a filter reads at most 200,000 events, for at most ten seconds or `wait`, whichever is longer. If it has found no event by then,
   * the page is empty, `end` is false, and `next` continues after the events that were read. A new consumer starts with `cursor=latest`,
   * and its first page is empty. `sort=-at` returns the log in reverse order, from the last event to the first: `next` continues with
   * earlier events, `end` is true at the start of the log, and events that are added meanwhile do not appear.
   *
   * After a failover or a restore that lost the event of the cursor, the response is 410 `CURSOR_AHEAD` with `next`, the cursor at which to
   * start again. The events after `next` are returned again. An event that the client received, but that is not returned again, was lost. A
   * browser closes its `EventSource` at this status.
   */
  @Get()
  @LongLived()
  @ApiHeader({ name: 'Accept', required: false, ...textHeader('Send `text/event-stream` for a stream.') })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description:
      'The ID of the last event that the client received. The stream continues after this event, and `cursor` is ignored.',
    ...TEXT,
  })
  @ApiExtraModels(EventPageDto)
  @ApiResponse({
    status: 200,
    description: 'The events after `cursor`.',
    headers: { Vary: textHeader('`Accept`, if the response depends on it.') },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(EventPageDto) } },
      'text/event-stream': TEXT,
    },
  })
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', 'CURSOR_AHEAD', ...PREFIX_CODES)
  async read(
    @ValidQuery() query: EventsQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Headers('accept') accept: string | undefined,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const hungUp = new AbortController();
    reply.raw.once('close', () => {
      hungUp.abort();
    });
    const streams = namedType(accept, ['text/event-stream']) !== null;
    if (streams && query.sort === '-at') throw reversedStream();
    let body = '';
    const present = async (page: ChangePage): Promise<void> => {
      if (!streams) body = await this.textOf(page, query.sort, logQuery);
    };
    const limit = streams ? Math.min(query.limit, MAX_STREAM_PAGE) : query.limit;
    const logQuery = this.log.queryOf(principal, { ...query, limit }, this.inPlace(request, reply, present));
    const after =
      streams && lastEventId
        ? this.cursors.parsePosition(lastEventId, 'at', '#header/Last-Event-ID')
        : await this.log.startOf(query.cursor, query.sort, '#query/cursor');
    const page = await this.log.next(after, logQuery, streams ? 0 : query.wait * 1000, hungUp.signal);
    void reply.headers({ 'cache-control': 'no-store', vary: 'accept' });
    if (streams) {
      // By default, nginx buffers events until its buffer is full.
      void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
      await reply.send(eventStream(this.log, page, logQuery, this.cursors, hungUp.signal));
      return;
    }
    await reply.type('application/json; charset=utf-8').send(body);
  }

  /** Limits concurrent searches, each with its page in memory. The first search of a request can be rejected; its later searches wait. */
  private inPlace(
    request: FastifyRequest,
    reply: FastifyReply,
    present: (page: ChangePage) => Promise<void>,
  ): LogQuery['inPlace'] {
    const holder = holderOf(request, reply);
    let limitMs: number | undefined;
    return async (search) => {
      const found = this.places.run(
        holder,
        async () => {
          const page = await search();
          await present(page);
          return page;
        },
        limitMs,
      );
      limitMs = Infinity;
      return found;
    };
  }

  private textOf({ changes, reached, end }: ChangePage, sort: LogOrder, query: LogQuery): Promise<string> {
    const { cursors } = this;
    const events = function* (): Generator<[EventDto]> {
      for (const change of changes) yield [eventOf(change, query.reader, cursors)];
    };
    const next = cursors.reached(reached, sort, query.isRestricted);
    return listText('items', events(), { next, end } satisfies Omit<EventPageDto, 'items'>);
  }
}

function reversedStream(): Problem {
  const detail = 'a stream of events has the order of the log; omit "sort", or send another Accept';
  return new Problem('INVALID_REQUEST', detail, { errors: [{ pointer: '#query/sort', detail }] });
}
