import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../problem/problem.js';
import type { HttpInterfaces } from '../http-interface.js';
import { onlyReads } from '../route-settings.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the request makes progress in parts, each with its own limit. */
    inParts?: boolean;
  }

  interface FastifyReply {
    /** Milliseconds that the request waited before its body was read, such as for the look-up of the API key. */
    waitedMs: number;
    /** Null before the handler is called, after the response begins, and for an exempt request. */
    deadline: NodeJS.Timeout | null;
  }
}

/**
 * Responds to requests within a limit, because the limits of their waits (queue, connection, statement, lock, retries) add up to more.
 * @param limitMs maximum time from the end of the body to the response, including the waits before the body is read (`waitedMs`).
 */
export function limitResponseTime(server: FastifyInstance, interfaces: HttpInterfaces, limitMs: number): void {
  server.decorateReply('waitedMs', 0);
  server.decorateReply('deadline', null);
  const reject = (request: FastifyRequest, reply: FastifyReply): void => {
    if (reply.sent || reply.raw.headersSent || reply.raw.closed) return;
    interfaces.of(request).sendProblem(tooLate(request, limitMs), request, reply);
    // The handler still runs and sends its result, which the framework would log as a warning.
    reply.log = reply.log.child({}, { level: 'silent' });
  };
  server.addHook('preHandler', (request, reply, done) => {
    if (!isExcepted(request)) reply.deadline = setTimeout(reject, limitMs - reply.waitedMs, request, reply).unref();
    done();
  });
  // The deadline is for the status, which has now been decided. The first piece of a stream can be sent much later.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.deadline !== null) clearTimeout(reply.deadline);
    reply.deadline = null;
    done(null, payload);
  });
}

function isExcepted({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.streams !== undefined || config.longLived === true || config.inParts === true;
}

function tooLate(request: FastifyRequest, limitMs: number): Problem {
  const seconds = limitMs / 1000;
  const headers = { 'retry-after': '1' };
  if (onlyReads(request)) {
    const detail = `The database did not complete the request within ${seconds} s. Send it again after Retry-After.`;
    return new Problem('DATABASE_UNAVAILABLE', detail, { headers, isOfRead: true });
  }
  const detail =
    `The database did not complete the request within ${seconds} s, so the outcome is unknown. Send the same request again ` +
    'with the same Idempotency-Key or metadata ID: it takes effect once.';
  return new Problem('OUTCOME_UNKNOWN', detail, { headers });
}
