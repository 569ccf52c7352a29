import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 1000;
const NANOSECONDS_PER_MILLISECOND = 1e6;

/** The smaller 99th percentile of the last two seconds: a single stall, such as a large batch, causes no rejections. */
export class EventLoopDelay {
  private before = 0;
  private last = 0;

  get lastingMs(): number {
    return Math.min(this.before, this.last);
  }

  /** Starts the measurement after loading, which blocks the loop without delaying a request. */
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
