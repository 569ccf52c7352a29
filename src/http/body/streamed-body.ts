import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../problem/problem.js';
import { isPlainUtf8, requirePlainUtf8 } from './content-encoding.js';
import type { ResponseSpool } from './response-spool.js';
import { routeSettings } from '../route-settings.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    streams?: readonly string[];
  }
}

/** Media types whose bodies are handed over as they arrive. */
export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

/** Marks a route that reads its body as a stream of one of these media types, and rejects other types. */
export const ReadsStream = (...mediaTypes: readonly string[]): MethodDecorator =>
  routeSettings({ streams: mediaTypes });

/** Whether the body of a request is handed over as it arrives, by its media type. */
export function isStreamed(request: Pick<FastifyRequest, 'headers'>): boolean {
  return [NDJSON, CSV].includes(mediaTypeOf(request));
}

/** The media type of a body in lower case, without parameters; empty without Content-Type. */
export function mediaTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';', 1);
  return mediaType.trim().toLowerCase();
}

/** How long a body may stall during a stop before its reader aborts, in milliseconds. */
export const SILENCE_AFTER_STOP_MS = 250;

/** How a stop of the service is announced. */
export interface StopSignals {
  readonly stopping: AbortSignal;
  readonly halfOver: AbortSignal;
}

/** A body of any length that its handler reads while it arrives. */
export class StreamedBody {
  /**
   * @param drain signals a stop. A body that has arrived completely is still read to its end.
   * @param spool buffers the response.
   */
  constructor(
    readonly mediaType: string,
    readonly octets: IncomingMessage,
    readonly drain: StopSignals,
    readonly spool: ResponseSpool,
  ) {}

  /**
   * Stops reading when half of the drain is over and the body is incomplete.
   * @throws Problem SHUTTING_DOWN
   */
  requireTime(): void {
    if (this.drain.halfOver.aborted && !this.octets.complete) throw shuttingDown();
  }
}

export interface StreamRules {
  /** How long neither side may be silent, in milliseconds. */
  readonly idleMs: number;
  readonly drain: StopSignals;
  readonly spool: ResponseSpool;
}

/** Passes bodies of these media types as streams: without a limit of size, and with a limit only on silence. */
export function acceptStreams(server: FastifyInstance, { idleMs, drain, spool }: StreamRules): void {
  // Before Fastify selects a parser, whose error would not name the media types of the route.
  server.addHook('preParsing', (request, _reply, payload, done) => {
    const { streams } = request.routeOptions.config;
    const isReadable =
      streams === undefined || (streams.includes(mediaTypeOf(request)) && isPlainUtf8(request.headers));
    if (isReadable) done(null, payload);
    else done(unsupported(streams));
  });
  for (const mediaType of [NDJSON, CSV]) {
    server.addContentTypeParser(mediaType, (request, octets, done) => {
      try {
        requirePlainUtf8(request.headers);
        octets.socket.setTimeout(idleMs);
        done(null, new StreamedBody(mediaType, octets, drain, spool));
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

/**
 * The body of a streamed request.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE for other media types.
 */
export function streamedBody({ body }: FastifyRequest, ...mediaTypes: readonly string[]): StreamedBody {
  if (body instanceof StreamedBody && mediaTypes.includes(body.mediaType)) return body;
  throw unsupported(mediaTypes);
}

function unsupported(mediaTypes: readonly string[]): Problem {
  const detail = `Send the body as UTF-8 without compression, as ${mediaTypes.join(' or ')}.`;
  return new Problem('UNSUPPORTED_MEDIA_TYPE', detail);
}

export function shuttingDown(): Problem {
  const detail =
    'This instance is shutting down. Results that were returned are stored; send the whole request again with the same idempotency key to continue.';
  return new Problem('SHUTTING_DOWN', detail);
}
