import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OverloadLimits } from '../config/config.js';
import type { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    onlyReads?: boolean;
  }
}

/** Marks a route that only reads although its method is POST, so that it is shed as late as other reads. */
export const OnlyReads = (): MethodDecorator => RouteConfig({ onlyReads: true });

/** At how many times the thresholds of writes reads are refused too. */
const READS_LATER = 2;

const RETRY_AFTER_SECONDS = '2';

/** What must work in an overload too: watching it, and revoking the key that causes it. */
const NEVER_SHED = /^\/(?:health|metrics|api-keys)(?:[/?]|$)/;

/** What an overload is told by; both are numbers that somebody else keeps. */
export interface Load {
  /** How late the event loop is, in milliseconds. */
  eventLoopDelayMs(): number;
  /** How many statements wait for a connection to the database. */
  waitingStatements(): number;
}

/**
 * Refuses requests while the process or its database is behind: writes first, and reads when that was not enough. It
 * asks before the key is looked up and the body is read, so that a refusal costs next to nothing.
 */
export function shedOverload(server: FastifyInstance, limits: OverloadLimits, load: Load, metrics: Metrics): void {
  const maxDelay = limits.eventLoopDelayMs || Infinity;
  const maxWaiting = limits.waitingStatements || Infinity;
  server.addHook('onRequest', (request, _reply, done) => {
    const pressure = Math.max(load.eventLoopDelayMs() / maxDelay, load.waitingStatements() / maxWaiting);
    if (pressure < 1 || (pressure < READS_LATER && onlyReads(request)) || NEVER_SHED.test(request.url)) {
      done();
      return;
    }
    metrics.refused('overload');
    const detail = 'The service is behind; nothing was changed. Send the request again a little later.';
    done(new Problem('OVERLOADED', detail, { headers: { 'retry-after': RETRY_AFTER_SECONDS } }));
  });
}

function onlyReads({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || routeOptions.config.onlyReads === true;
}
