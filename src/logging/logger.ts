import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { cutLine } from './cut-line.js';

/** Characters that terminals interpret and JSON does not escape: DEL, C1, line separators, bidirectional controls. */
const TERMINAL_CONTROLS = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Logs JSON lines on standard output. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      streamWrite: (line) => cutLine(line, escapeControls),
    },
  });
}

/** These characters occur only in strings of the line, where an escape has the same meaning. */
function escapeControls(line: string): string {
  return line.replace(TERMINAL_CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes the framework's messages to the same log; those of the start only at the level debug. */
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
