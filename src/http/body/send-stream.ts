import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type FailedRequest, isCounted, logFailure } from '../../problem/log-failure.js';
import type { ProblemCode } from '../../problem/catalogue.js';
import { Problem } from '../../problem/problem.js';
import { problemOf } from '../../problem/send-problem.js';
import type { StreamLog } from './ndjson-response.js';

declare module 'fastify' {
  interface FastifyInstance {
    readonly streamEnded?: (route: string, outcome: string) => void;
  }
  interface FastifyRequest {
    /** Code of the problem that ended the stream of the response. */
    streamProblem: ProblemCode | null;
  }
}

/** Sends a stream, counts its outcome, and logs a warning if the client does not receive all of it. */
export function sendStream(request: FastifyRequest, reply: FastifyReply, pieces: AsyncIterable<string | Buffer>): void {
  const { raw } = reply;
  raw.once('close', () => {
    const outcome = request.streamProblem ?? (raw.writableFinished ? 'complete' : 'aborted');
    request.server.streamEnded?.(request.routeOptions.url ?? 'unmatched', outcome);
    // The last response of a connection stays in memory (`client-errors.ts`), and listeners of the framework refer to all of its results.
    raw.removeAllListeners();
    if (raw.writableFinished) return;
    const { method, originalUrl } = request;
    // The query is not logged, because it can name a person.
    const [url] = originalUrl.split('?', 1);
    const durationMs = Math.round(reply.elapsedTime);
    request.log.warn({ method, url, durationMs, isRequestComplete: request.raw.complete }, 'the stream was aborted');
  });
  void reply.send(Readable.from(pieces, { objectMode: false }));
}

/**
 * Responds to HEAD without the body of GET (RFC 9110 9.3.2). The framework would read the stream to its end, and send a 304 with the
 * length 0, which a cache would compare with its stored response (RFC 9110 8.6).
 */
export function dropStreamsOfHead(server: FastifyInstance): void {
  server.addHook('onSend', ({ method }, { statusCode }, payload, done) => {
    if (method !== 'HEAD' || !(payload instanceof Readable || statusCode === 304)) {
      done(null, payload);
      return;
    }
    if (payload instanceof Readable) payload.destroy();
    done(null, Readable.from([]));
  });
}

/** Logs why a stream ends early (rejections as warnings), and unexpected errors of lines. */
export function streamLog(request: FailedRequest & Pick<FastifyRequest, 'streamProblem'>): StreamLog {
  return {
    failed: (error) => {
      request.streamProblem = problemOf(error).code;
      if (!(error instanceof Problem)) logFailure(error, request, 'the stream ended early');
      else if (!isCounted(error, request)) {
        request.log.warn({ code: error.code, detail: error.detail }, 'the stream ended early');
      }
    },
    lineFailed: (error, line) => {
      logFailure(error, request, 'a line of the stream failed', { line });
    },
  };
}
