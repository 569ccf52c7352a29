import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../problem/problem.js';
import type { Faces } from '../face.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The request makes progress in parts, each with a limit of its own. */
    inParts?: boolean;
  }
}

const MIN_TIMER_MS = 100;

/** When requests arrived that were handled before the framework got them. */
const arrivals = new WeakMap<IncomingMessage, number>();

/** @param at as `performance.now`. */
export function noteArrival(request: IncomingMessage, at: number): void {
  arrivals.set(request, at);
}

interface Waiting {
  readonly request: FastifyRequest;
  readonly since: number;
}

/**
 * Answers every request within a limit, whatever it waits for: the waits of a request (queue, connection, statement, lock, another
 * attempt) have limits of their own, whose sum would be longer. Streams, long polls and requests in parts are excepted.
 * @param limitMs from the end of the request's body.
 */
export function limitResponseTime(server: FastifyInstance, faces: Faces, limitMs: number): void {
  const waiting = new Map<FastifyReply, Waiting>();
  let timer: NodeJS.Timeout | null = null;

  const watch = (since: number): void => {
    timer ??= setTimeout(expire, Math.max(since + limitMs - performance.now(), MIN_TIMER_MS)).unref();
  };
  const expire = (): void => {
    timer = null;
    const before = performance.now() - limitMs;
    for (const [reply, { request, since }] of waiting) {
      // They are in the order of their arrival.
      if (since > before) {
        watch(since);
        return;
      }
      waiting.delete(reply);
      if (!reply.sent && !reply.raw.headersSent && !reply.raw.closed) refuse(request, reply);
    }
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply): void => {
    faces.of(request).sendProblem(tooLate(request, limitMs), request, reply);
    // The handler still runs and sends its result, which comes too late.
    reply.send = () => reply;
  };

  server.addHook('preHandler', (request, reply, done) => {
    if (!isExcepted(request)) {
      const since = arrivals.get(request.raw) ?? performance.now();
      waiting.set(reply, { request, since });
      watch(since);
    }
    done();
  });
  server.addHook('onResponse', (_request, reply, done) => {
    waiting.delete(reply);
    done();
  });
}

function isExcepted({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.streams !== undefined || config.longLived === true || config.inParts === true;
}

function tooLate(request: FastifyRequest, limitMs: number): Problem {
  const seconds = limitMs / 1000;
  const headers = { 'retry-after': '1' };
  const { method, routeOptions } = request;
  if (method === 'GET' || method === 'HEAD' || routeOptions.config.onlyReads === true) {
    const detail = `The database did not complete the request within ${seconds} s. Send it again after Retry-After.`;
    return new Problem('DATABASE_UNAVAILABLE', detail, { headers });
  }
  const detail =
    `The database did not complete the request within ${seconds} s, so the outcome is unknown. Send the same request again ` +
    'with the same Idempotency-Key or metadata ID: it takes effect once.';
  return new Problem('OUTCOME_UNKNOWN', detail, { headers });
}
