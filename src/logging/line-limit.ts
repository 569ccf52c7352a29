import type { Logger } from 'pino';

/** Number of the level "warn" of pino. */
const WARN = 40;

/** Number of the level "fatal", whose lines are not limited. */
const FATAL = 60;

/** Limits log lines per second. Lines of the level warn and above have a separate limit, so that lines of requests cannot displace them. */
export class LineLimit {
  dropped = 0;
  private second = 0;
  private written = [0, 0];
  private reporting: NodeJS.Timeout | null = null;
  private reported = 0;
  private isReporting = false;

  /** @param most maximum number of lines of each kind per second; 0 for no limit. */
  constructor(private readonly most: number) {}

  admits(level: number, logger: Pick<Logger, 'warn'>): boolean {
    if (this.most === 0 || this.isReporting || level >= FATAL) return true;
    const second = Math.trunc(performance.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.written = [0, 0];
    }
    const kind = level < WARN ? 0 : 1;
    const number = (this.written[kind] ?? 0) + 1;
    this.written[kind] = number;
    if (number <= this.most) return true;
    this.dropped += 1;
    this.reporting ??= setTimeout(() => {
      this.reporting = null;
      const dropped = this.dropped - this.reported;
      this.reported = this.dropped;
      this.isReporting = true;
      logger.warn({ dropped }, 'lines of the log were dropped');
      this.isReporting = false;
    }, 1000).unref();
    return false;
  }
}

/** Maximum bytes of a log line with its line feed. */
export const MAX_LINE_BYTES = 2048;

const TEXT_LENGTHS = [1024, 512, 256, 128, 64, 32];

const ESSENTIAL = ['level', 'time', 'reqId', 'msg'];

/** Truncates texts of a JSON line and, if necessary, omits members, to fit into 2 KB. Clients choose the length of URLs and headers. */
export function cutLine(line: string, escape: (line: string) => string): string {
  const whole = escape(line);
  if (fits(whole)) return whole;
  const entry = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.fromEntries(ESSENTIAL.map((name) => [name, entry[name]]));
  for (const shown of [entry, rest]) {
    for (const length of TEXT_LENGTHS) {
      const cut = escape(`${JSON.stringify(shown, (_, value: unknown) => cutText(value, length))}\n`);
      if (fits(cut)) return cut;
    }
  }
  throw new TypeError('four short texts fit into a line');
}

function fits(line: string): boolean {
  return line.length <= MAX_LINE_BYTES && Buffer.byteLength(line) <= MAX_LINE_BYTES;
}

function cutText(value: unknown, length: number): unknown {
  if (typeof value !== 'string' || value.length <= length) return value;
  return `${value.slice(0, length).toWellFormed()}…`;
}
