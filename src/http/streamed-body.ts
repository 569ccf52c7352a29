import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/problem.js';
import { requirePlainUtf8 } from './plain-utf8.js';

/** Media types whose bodies are handed over as they arrive. */
export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

/** A body of any length that its handler reads while it arrives. */
export class StreamedBody {
  /**
   * @param stopping is aborted when the service begins to stop: the handler ends where nothing is lost.
   */
  constructor(
    readonly mediaType: string,
    readonly octets: IncomingMessage,
    readonly stopping: AbortSignal,
  ) {}
}

/**
 * Lets handlers read bodies of these media types while they arrive: no limit of size, and no limit of time but on silence.
 * @param idleMs for how long neither side may send anything.
 */
export function acceptStreams(server: FastifyInstance, idleMs: number, stopping: AbortSignal): void {
  for (const mediaType of [NDJSON, CSV]) {
    server.addContentTypeParser(mediaType, (request, octets, done) => {
      try {
        requirePlainUtf8(request.headers);
        octets.socket.setTimeout(idleMs);
        done(null, new StreamedBody(mediaType, octets, stopping));
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

/**
 * The body of a request that is read as a stream.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE when it has none of these media types.
 */
export function streamedBody({ body }: FastifyRequest, ...mediaTypes: readonly string[]): StreamedBody {
  if (body instanceof StreamedBody && mediaTypes.includes(body.mediaType)) return body;
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the body as UTF-8, not compressed, as ${mediaTypes.join(' or ')}.`);
}
