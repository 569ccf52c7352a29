import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config/config.js';
import { describeMisspelled } from './config/misspelled-variables.js';
import { describeRenamed } from './config/renamed-variables.js';
import { type EmbeddedServer, startEmbeddedServer } from './database/embedded/embedded-server.js';
import { migrate } from './database/migrations.js';
import { LineLimit } from './logging/line-limit.js';
import { createLogger, endLog } from './logging/logger.js';
import { requireFreePorts } from './listening-ports.js';

/** Maximum time to close ports and connections after the drain. */
const CLOSE_LIMIT_MS = 10_000;

export interface RunningInstance {
  readonly banner: string;
  /** Resolves with the reason when the embedded database is lost. */
  readonly lost: Promise<Error>;
  stop(reason: string): Promise<void>;
}

/** A signal ended the start. Everything that was started has been stopped. */
export class StartInterrupted extends Error {}

/**
 * Reads the configuration, starts the database, migrates it and opens the ports.
 * @param signal ends the start; its reason is a string. A schema change that has begun is rolled back.
 * @throws StartupError after stopping what was started; StartInterrupted.
 */
export async function bootstrap(signal: AbortSignal): Promise<RunningInstance> {
  const config = readConfig();
  const limit = new LineLimit(config.logLinesPerSecond);
  const logger = createLogger(config.logLevel, limit);
  for (const misspelled of config.misspelledVariables) logger.warn(misspelled, describeMisspelled(misspelled));
  for (const renamed of config.renamedVariables) logger.warn(renamed, describeRenamed(renamed));
  // Most modules are loaded while the database starts and migrates.
  const loading = import('./server.js');
  loading.catch(() => {});
  // The ports are checked before the database is opened, so that a start that cannot listen creates no data folder and changes no schema.
  await requireFreePorts(config);
  const database = await openDatabase(config, logger);
  const start = async (): Promise<RunningInstance> => {
    await migrate(database.url, {
      mayMigrate: config.mayMigrate,
      isEmbedded: 'dataDir' in config.database,
      onWait: (reason) => {
        logger.warn({ reason }, 'the start waits for a server that accepts writes');
      },
      signal,
    });
    let isLost = false;
    void database.lost.then(() => (isLost = true));
    const { openServer } = await loading;
    const application = await openServer(config, database.url, logger, limit);
    return {
      banner: application.banner,
      lost: database.lost,
      stop: async (reason) => {
        logger.info({ reason }, 'stopping');
        // Without a database, readiness already fails, so the stop is not announced.
        if (!isLost) await application.drain.announce(config.shutdownDelayMs);
        const unfinished = await application.drain.start(config.shutdownTimeoutMs);
        if (unfinished > 0) logger.warn({ unfinished }, 'requests were aborted at the end of the drain');
        const closing = application.close().then(() => true);
        const isClosed = await Promise.race([closing, pause(CLOSE_LIMIT_MS, false)]);
        if (!isClosed) logger.error('ports or connections were not closed in time');
        await database.stop();
        await endLog(logger, 'stopped');
      },
    };
  };
  try {
    return await Promise.race([interruption(signal), start()]);
  } catch (error) {
    if (signal.aborted) logger.info({ reason: String(signal.reason) }, 'stopping during the start');
    await database.stop();
    if (!signal.aborted) throw error;
    await endLog(logger, 'stopped');
    throw new StartInterrupted();
  }
}

function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = (): void => {
      reject(new StartInterrupted());
    };
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  });
}

async function openDatabase({ database }: Config, logger: Logger): Promise<EmbeddedServer> {
  if ('dataDir' in database) return startEmbeddedServer(database.dataDir, logger);
  return { url: database.url, lost: new Promise(() => {}), stop: async () => {} };
}
