import type { FastifyInstance } from 'fastify';
import type { OverloadLimits } from '../../config/config.js';
import { Problem } from '../../problem/problem.js';
import type { HttpInterfaces } from '../http-interface.js';
import { onlyReads } from '../route-settings.js';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Reads are rejected at this multiple of the thresholds for writes. */
const READS_LATER = 2;

const RETRY_AFTER_SECONDS = '2';

export interface Load {
  eventLoopDelayMs(): number;
  waitingStatements(): number;
}

/** Returns a function that measures the load relative to the limits. Writes are rejected if the result is 1 or more. */
export function pressureOf(limits: OverloadLimits, load: Load): () => number {
  const maxDelay = limits.eventLoopDelayMs || Infinity;
  const maxWaiting = limits.waitingStatements || Infinity;
  return () => Math.max(load.eventLoopDelayMs() / maxDelay, load.waitingStatements() / maxWaiting);
}

/** Rejects requests while the process or its database is overloaded: writes first, then reads. */
export function shedLoad(
  server: FastifyInstance,
  interfaces: HttpInterfaces,
  pressureNow: () => number,
  onRejected: () => void,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const pressure = pressureNow();
    const isServed = pressure < 1 || (pressure < READS_LATER && onlyReads(request));
    if (isServed || interfaces.of(request).servedInOverload.test(request.url)) {
      done();
      return;
    }
    onRejected();
    const detail = 'The service is overloaded. Nothing was changed; retry after Retry-After.';
    done(new Problem('OVERLOADED', detail, { headers: { 'retry-after': RETRY_AFTER_SECONDS } }));
  });
}

const RESOLUTION_MS = 10;
const WINDOW_MS = 1000;
const NANOSECONDS_PER_MILLISECOND = 1e6;

/** The smaller of the 99th percentiles of the last two seconds, so that one stall, such as a large batch, causes no rejections. */
export class EventLoopDelay {
  private before = 0;
  private last = 0;

  get lastingMs(): number {
    return Math.min(this.before, this.last);
  }

  /** Starts measuring. Call it after the modules are loaded, because loading blocks the event loop but delays no request. */
  start(): void {
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    setInterval(() => {
      this.observe(histogram.percentile(99) / NANOSECONDS_PER_MILLISECOND);
      histogram.reset();
    }, WINDOW_MS).unref();
  }

  observe(delayMs: number): void {
    this.before = this.last;
    this.last = delayMs;
  }
}
