import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../problem/problem.js';
import { type Charset, isPlain } from './content-encoding.js';
import type { ResponseSpool } from './response-spool.js';
import { routeSettings } from '../route-settings.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    streams?: readonly string[];
  }
}

export const NDJSON = 'application/x-ndjson';
/** Another name of NDJSON, which some clients send. */
export const JSON_LINES = 'application/jsonl';
export const CSV = 'text/csv';

/** Marks a route whose body is a stream of one of these media types. */
export const ReadsStream = (...mediaTypes: readonly string[]): MethodDecorator =>
  routeSettings({ streams: mediaTypes });

export function isStreamed(request: Pick<FastifyRequest, 'headers'>): boolean {
  return [NDJSON, CSV].includes(mediaTypeOf(request));
}

/** The media type of a body, in lower case and without parameters: NDJSON for its other name, and empty without Content-Type. */
export function mediaTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const [sent = ''] = (headers['content-type'] ?? '').split(';', 1);
  const mediaType = sent.trim().toLowerCase();
  return mediaType === JSON_LINES ? NDJSON : mediaType;
}

/** During a stop, a body that is silent for this time is aborted. */
export const SILENCE_AFTER_STOP_MS = 250;

export interface StopSignals {
  readonly stopping: AbortSignal;
  readonly halfOver: AbortSignal;
}

export class StreamedBody {
  constructor(
    readonly mediaType: string,
    readonly bytes: IncomingMessage,
    readonly drain: StopSignals,
    readonly spool: ResponseSpool,
    readonly charset: Charset = 'utf-8',
  ) {}

  /** @throws Problem SHUTTING_DOWN in the second half of a drain, unless the body has arrived. */
  requireTime(): void {
    if (this.drain.halfOver.aborted && !this.bytes.complete) throw shuttingDown();
  }
}

/** Passes bodies of NDJSON and CSV as streams. The time without data is limited, but not the size. */
export function acceptStreams(server: FastifyInstance, idleMs: number, drain: StopSignals, spool: ResponseSpool): void {
  // Runs before Fastify selects a parser, whose error would not list the media types.
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { streams } = request.routeOptions.config;
    if (streams === undefined) done(null, payload);
    else if (!streams.includes(mediaTypeOf(request)) || charsetOf(request) === null) done(unsupported(streams));
    else {
      if (!reply.raw.closed) spool.enter(reply.raw);
      done(null, payload);
    }
  });
  for (const mediaType of [NDJSON, JSON_LINES, CSV]) {
    server.addContentTypeParser(mediaType, (request, bytes, done) => {
      const charset = charsetOf(request);
      if (charset === null) {
        done(unsupported([mediaTypeOf(request)]));
        return;
      }
      bytes.socket.setTimeout(idleMs);
      done(null, new StreamedBody(mediaTypeOf(request), bytes, drain, spool, charset));
    });
  }
}

function charsetOf(request: Pick<FastifyRequest, 'headers'>): Charset | null {
  if (isPlain(request.headers)) return 'utf-8';
  return mediaTypeOf(request) === CSV && isPlain(request.headers, /^windows-1252$/i) ? 'windows-1252' : null;
}

/** @throws Problem UNSUPPORTED_MEDIA_TYPE for other media types. */
export function streamedBody({ body }: FastifyRequest, ...mediaTypes: readonly string[]): StreamedBody {
  if (body instanceof StreamedBody && mediaTypes.includes(body.mediaType)) return body;
  throw unsupported(mediaTypes);
}

function unsupported(mediaTypes: readonly string[]): Problem {
  const readTypes = mediaTypes.flatMap((type) => (type === NDJSON ? [NDJSON, JSON_LINES] : [type]));
  const charsets = mediaTypes.includes(CSV) ? 'as UTF-8 (CSV also with "charset=windows-1252")' : 'as UTF-8';
  const detail = `Send the body ${charsets} without compression, as ${readTypes.join(' or ')}.`;
  return new Problem('UNSUPPORTED_MEDIA_TYPE', detail);
}

export function shuttingDown(): Problem {
  const detail =
    'This instance is shutting down. Results that were returned are stored; send the whole request again with the same idempotency key to continue.';
  return new Problem('SHUTTING_DOWN', detail);
}
