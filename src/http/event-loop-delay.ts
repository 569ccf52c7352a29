import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 1000;
const NANOSECONDS_PER_MILLISECOND = 1e6;

/**
 * How late the event loop is: the 99th percentile of a second, of the last two seconds the smaller one. A single stall, such
 * as one large batch, is over when it is noticed; refusing what comes after it would help nobody. Looking at it costs
 * nothing.
 */
export class EventLoopDelay {
  private before = 0;
  private last = 0;

  /** Milliseconds. */
  get lastingMs(): number {
    return Math.min(this.before, this.last);
  }

  /** Begins to measure. Before that nothing is late: loading the service blocks the loop, and keeps nobody waiting. */
  start(): void {
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    setInterval(() => {
      this.observe(histogram.percentile(99) / NANOSECONDS_PER_MILLISECOND);
      histogram.reset();
    }, WINDOW_MS).unref();
  }

  /** Takes in what another second has shown. */
  observe(delayMs: number): void {
    this.before = this.last;
    this.last = delayMs;
  }
}
