import { type Config, readConfig } from './config/config.js';
import { startEmbeddedServer } from './database/embedded/embedded-server.js';
import { migrate } from './database/migrations.js';
import { createLogger } from './logging/logger.js';

/** A service that listens. */
export interface RunningService {
  /** What to tell the person who started it. */
  readonly welcome: string;
  /** Finishes the requests in flight, refuses new ones, and stops everything that was started. */
  stop(reason: string): Promise<void>;
}

/**
 * Starts everything in the order it is needed: configuration, database, schema, naming authorities, HTTP.
 * @throws StartupError with a sentence for the person at the terminal; what had been started is stopped again.
 */
export async function startService(): Promise<RunningService> {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  // Nearly everything there is to load is loaded while the database starts and is brought up to date.
  const loading = import('./application.js');
  loading.catch(() => {});
  const database = await openDatabase(config);
  try {
    await migrate(database.url);
    const { openApplication } = await loading;
    const application = await openApplication(config, database.url, logger);
    return {
      welcome: application.welcome,
      stop: async (reason) => {
        logger.info({ reason }, 'stopping');
        const unfinished = await application.drain.start(config.shutdownTimeoutMs);
        if (unfinished > 0) logger.warn({ unfinished }, 'requests were cut off');
        await application.close();
        await database.stop();
        logger.info('stopped');
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function openDatabase({ database }: Config): Promise<{ url: string; stop(): Promise<void> }> {
  if ('dataDir' in database) return startEmbeddedServer(database.dataDir);
  return { url: database.url, stop: async () => {} };
}
