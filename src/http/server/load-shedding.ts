import type { FastifyInstance } from 'fastify';
import type { OverloadLimits } from '../../config/config.js';
import { Problem } from '../../problem/problem.js';
import type { Faces } from '../face.js';
import { onlyReads } from '../only-reads.js';

/** Reads are rejected at this multiple of the thresholds of writes. */
const READS_LATER = 2;

const RETRY_AFTER_SECONDS = '2';

export interface Load {
  eventLoopDelayMs(): number;
  waitingStatements(): number;
}

/** How loaded the service is: from 1 on, writes are rejected. */
export function pressureOf(limits: OverloadLimits, load: Load): () => number {
  const maxDelay = limits.eventLoopDelayMs || Infinity;
  const maxWaiting = limits.waitingStatements || Infinity;
  return () => Math.max(load.eventLoopDelayMs() / maxDelay, load.waitingStatements() / maxWaiting);
}

/**
 * Rejects requests while the process or its database is overloaded: writes first, then reads. Runs before
 * authentication and before the body is read.
 * @param pressureNow see `pressureOf`.
 * @param onRefused called for each rejected request.
 */
export function shedLoad(
  server: FastifyInstance,
  faces: Faces,
  pressureNow: () => number,
  onRefused: () => void,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const pressure = pressureNow();
    const isServed = pressure < 1 || (pressure < READS_LATER && onlyReads(request));
    if (isServed || faces.of(request).servedInOverload.test(request.url)) {
      done();
      return;
    }
    onRefused();
    const detail = 'The service is overloaded. Nothing was changed; retry after Retry-After.';
    done(new Problem('OVERLOADED', detail, { headers: { 'retry-after': RETRY_AFTER_SECONDS } }));
  });
}
