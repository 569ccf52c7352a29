import { type EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { cutLine, LineLimit } from './line-limit.js';

/** Characters that terminals interpret and JSON does not escape: DEL, C1, line separators, bidirectional controls. */
const TERMINAL_CONTROLS = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Maximum number of characters buffered for a slow reader. Further lines are dropped. */
const MAX_BUFFERED = 16 * 1024 * 1024;

const FLUSH_LIMIT_MS = 1000;

/** Maximum time to write pending lines if the log level excludes the last line. */
const WITHOUT_LAST_LINE_MS = 50;

const FORM = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  hooks: { streamWrite: (line: string) => cutLine(line, escapeControls) },
};

/** Creates a logger of JSON lines on standard output that never waits for its reader. */
export function createLogger(level: string, limit = new LineLimit(0)): Logger {
  const logger: Logger = pino(
    {
      ...FORM,
      level,
      hooks: {
        ...FORM.hooks,
        logMethod(values, method, number) {
          if (limit.admits(number, logger)) method.apply(this, values);
        },
      },
    },
    pino.destination({ dest: process.stdout.fd, sync: false, maxLength: MAX_BUFFERED }),
  );
  return logger;
}

/** Logs a failed start synchronously, before the process ends. */
export function logFailedStart(level: string, reason: string): void {
  const logger = pino({ ...FORM, level }, pino.destination({ dest: process.stdout.fd, sync: true }));
  logger.fatal({ reason }, 'Mintmark cannot start');
}

/**
 * Logs the last line and waits at most a second until it is written. Lines not yet written are then dropped. Otherwise, pino would wait
 * without limit at the exit for a reader that has closed the pipe or does not read.
 */
export async function endLog(logger: Logger, lastLine: string): Promise<void> {
  const { [pino.symbols.streamSym]: stream } = logger as unknown as Record<
    symbol,
    EventEmitter & { flushSync(): void }
  >;
  if (stream === undefined) return;
  const written = once(stream, 'drain').catch(() => {});
  logger.info(lastLine);
  await Promise.race([written, pause(logger.isLevelEnabled('info') ? FLUSH_LIMIT_MS : WITHOUT_LAST_LINE_MS)]);
  stream.flushSync = () => {};
}

/** Escapes `TERMINAL_CONTROLS`. They occur only in strings of the JSON line, where an escape has the same meaning. */
function escapeControls(line: string): string {
  return line.replace(TERMINAL_CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes messages of the framework to the log. Those of its level "log", such as messages of the start, get the level debug. */
export function frameworkLogger(logger: Logger): LoggerService {
  const brief = (level: 'trace' | 'debug' | 'warn') => (message: unknown, context?: unknown) => {
    logger[level]({ context }, String(message));
  };
  const full =
    (level: 'error' | 'fatal') =>
    (message: unknown, ...details: unknown[]) => {
      logger[level]({ details }, String(message));
    };
  return {
    ...{ verbose: brief('trace'), debug: brief('debug'), log: brief('debug'), warn: brief('warn') },
    ...{ error: full('error'), fatal: full('fatal') },
  };
}
