import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService } from './app.setup.js';
import { type Config, readConfig } from './config/config.js';
import { StartupError, reasonOf } from './config/startup-error.js';
import { startEmbeddedServer } from './database/embedded/embedded-server.js';
import { migrate } from './database/migrations.js';
import { createPool } from './database/pool.js';
import { createLogger } from './logging/logger.js';
import { AuthorityWriter } from './record/authority-writer.js';
import { NamingAuthorities } from './record/naming-authorities.js';
import { welcome } from './welcome.js';

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
  const database = await openDatabase(config);
  try {
    await migrate(database.url);
    const pool = createPool(database.url, config, logger);
    const { app, drain } = await createService(config, pool, logger);
    const words = await open(app, config).catch(async (error: unknown) => {
      await app.close();
      throw error;
    });
    return {
      welcome: words,
      stop: async (reason) => {
        logger.info({ reason }, 'stopping');
        const unfinished = await drain.start(config.shutdownTimeoutMs);
        if (unfinished > 0) logger.warn({ unfinished }, 'requests were cut off');
        await app.close();
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

/** @returns what to tell the person at the terminal. */
async function open(app: NestFastifyApplication, config: Config): Promise<string> {
  await app.get(AuthorityWriter).ensure(config.namingAuthorities);
  const url = await listen(app, config);
  const prefixes = (await app.get(NamingAuthorities).refresh()).all().map(({ prefix }) => prefix);
  return welcome({ url, config, prefixes: prefixes.sort() });
}

async function listen(app: NestFastifyApplication, { host, port }: Config): Promise<string> {
  try {
    await app.listen(port, host);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new StartupError(`Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another one.`);
    }
    throw new StartupError(`Mintmark cannot listen on ${host} port ${port}: ${reasonOf(error)}`);
  }
  return app.getUrl();
}
