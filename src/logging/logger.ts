import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

/**
 * What JSON leaves as it is and a terminal or an editor obeys: DEL and the C1 controls, line separators, and what turns
 * the direction of writing.
 */
const OBEYED = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * JSON lines on standard output; words for people go to standard error. Whatever a caller sends, a line is one line, and
 * shows as what it is.
 */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      // These characters can only stand inside a string of the line, where an escape means the same.
      streamWrite: (line) => line.replace(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`),
    },
  });
}

/** Lets the framework write to the same log. Its notes on start are of interest to developers only. */
export class FrameworkLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }

  debug(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: unknown): void {
    this.logger.trace({ context }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    this.logger.error({ details }, String(message));
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.logger.fatal({ details }, String(message));
  }
}
