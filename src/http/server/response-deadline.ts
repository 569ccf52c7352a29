import type { IncomingMessage } from 'node:http';
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
    /** Null before the handler is called, after the response begins, and for an exempt request. */
    waiting: Waiting | null;
  }
}

const CHECK_INTERVAL_MS = 250;

/** Milliseconds that requests waited before their bodies were read. */
const waits = new WeakMap<IncomingMessage, number>();

const MIN_WAIT_MS = 100;

/** Counts a wait before the body is read, such as the look-up of the API key, toward the limit of the request. */
export function noteWait(request: IncomingMessage, ms: number): void {
  if (ms >= MIN_WAIT_MS) waits.set(request, ms);
}

interface Waiting {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly since: number;
  index: number;
}

/** Uses an array, because a `Map` that each request enters and leaves would reduce the rate of look-ups by 13 %. */
class WaitingRequests {
  private readonly requests: Waiting[] = [];

  add(request: FastifyRequest, reply: FastifyReply, since: number): Waiting {
    const added = { request, reply, since, index: this.requests.length };
    this.requests.push(added);
    return added;
  }

  remove({ index }: Waiting): void {
    const last = this.requests.pop();
    if (last === undefined || last.index === index) return;
    last.index = index;
    this.requests[index] = last;
  }

  /** Requests that have waited since `time` or longer, and requests with a closed connection, because no response removes these. */
  overdue(time: number): Waiting[] {
    return this.requests.filter(({ since, reply }) => since <= time || reply.raw.closed);
  }
}

/**
 * Responds to requests within a limit, because the limits of their waits (queue, connection, statement, lock, retries) add up to more.
 * @param limitMs maximum time from the end of the body to the response, including the waits before the body is read (`noteWait`).
 */
export function limitResponseTime(server: FastifyInstance, interfaces: HttpInterfaces, limitMs: number): void {
  const waiting = new WaitingRequests();
  server.decorateReply('waiting', null);

  const leave = (reply: FastifyReply): void => {
    if (reply.waiting !== null) waiting.remove(reply.waiting);
    reply.waiting = null;
  };
  const reject = ({ request, reply }: Waiting): void => {
    leave(reply);
    if (reply.sent || reply.raw.headersSent || reply.raw.closed) return;
    interfaces.of(request).sendProblem(tooLate(request, limitMs), request, reply);
    // The handler still runs and sends its result, which the framework would log as a warning.
    reply.log = reply.log.child({}, { level: 'silent' });
  };
  const timer = setInterval(() => {
    waiting.overdue(performance.now() - limitMs).forEach(reject);
  }, CHECK_INTERVAL_MS).unref();

  server.addHook('preHandler', (request, reply, done) => {
    const since = performance.now() - (waits.get(request.raw) ?? 0);
    if (!isExcepted(request)) reply.waiting = waiting.add(request, reply, since);
    done();
  });
  // The deadline is for the status, which has now been decided. The first piece of a stream can be sent much later.
  server.addHook('onSend', (_request, reply, payload, done) => {
    leave(reply);
    done(null, payload);
  });
  server.addHook('onClose', () => {
    clearInterval(timer);
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
