import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { LongLived } from '../access/limits.guard.js';
import { Requires } from '../access/scope.js';
import { SYNTAX_CODES, namingAuthorityKey, parseNamingAuthority } from '../identifier/index.js';
import { ApiExtraModels, ApiHeader, ApiResponse, ApiTags, getSchemaPath } from '../openapi/annotations.js';
import { ApiProblems } from '../problem/api-problems.js';
import { malformed } from '../problem/problem.js';
import { logCursor, readLogCursor } from './cursor.js';
import { EventPageDto, eventOf } from './event.dto.js';
import { EventLog, type Wanted } from './event-log.js';
import { eventStream } from './event-stream.js';
import { EventsQueryDto } from './events-query.dto.js';
import { prefersStream } from './prefers-stream.js';

const text = { schema: { type: 'string' as const } };

@ApiTags('events')
@Requires('read')
@Controller('events')
export class EventsController {
  constructor(private readonly log: EventLog) {}

  /**
   * Follow every mint and change
   * @remarks
   * All changes since the beginning, each exactly once, in an order in which the versions of an identifier ascend. An
   * event appears when every transaction that began before it has ended. Read on with `next` as `after`, however much later. With
   * `Accept: text/event-stream` the events are streamed: `id` is the cursor, `event` the kind, `data` the event as JSON.
   */
  @Get()
  @LongLived()
  @ApiHeader({ name: 'Accept', required: false, description: '`text/event-stream` for a stream.', ...text })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event that came, when a stream is taken up again; goes before `after`.',
    ...text,
  })
  @ApiExtraModels(EventPageDto)
  @ApiResponse({
    status: 200,
    description: 'The events behind `after`; none when nothing has happened since.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(EventPageDto) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', ...SYNTAX_CODES)
  async read(
    @Query() query: EventsQueryDto,
    @CurrentCaller() caller: Caller,
    @Headers('accept') accept: string | undefined,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const hungUp = new AbortController();
    reply.raw.once('close', () => {
      hungUp.abort();
    });
    const streams = prefersStream(accept);
    const after =
      streams && lastEventId
        ? readLogCursor(lastEventId, '#header/Last-Event-ID')
        : readLogCursor(query.after, '#query/after');
    const wanted = { limit: query.limit, wants: wantedBy(caller, query.namingAuthority) };
    const page = await this.log.next(after, wanted, streams ? 0 : query.wait * 1000, hungUp.signal);
    void reply.headers({ 'cache-control': 'no-store', vary: 'accept' });
    if (streams) {
      // nginx would hold events back until its buffer is full.
      void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
      await reply.send(eventStream(this.log, page, wanted, hungUp.signal));
      return;
    }
    const body: EventPageDto = { items: page.changes.map(eventOf), next: logCursor(page.reached) };
    await reply.send(body);
  }
}

/**
 * Which changes a caller gets, by their naming authority: those that it sees, and asks for. Decided for each change, not by
 * a list of naming authorities, which could lack the newest one.
 */
function wantedBy(caller: Caller, prefix: string | undefined): Wanted['wants'] {
  if (prefix === undefined) return caller.seesPart ? (namingAuthority) => caller.sees(namingAuthority) : null;
  const read = parseNamingAuthority(prefix, 'handle');
  if (!read.ok) throw malformed(read.fault, '#query/namingAuthority');
  const key = namingAuthorityKey(prefix);
  return (namingAuthority) => namingAuthorityKey(namingAuthority) === key && caller.sees(namingAuthority);
}
