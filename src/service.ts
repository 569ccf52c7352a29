import type { FastifyInstance } from 'fastify';
import { type Service, createService } from './app.setup.js';
import { type Config, readConfig } from './config/config.js';
import { StartupError, reasonOf } from './config/startup-error.js';
import { startEmbeddedServer } from './database/embedded/embedded-server.js';
import { migrate } from './database/migrations.js';
import { createPools } from './database/pool.js';
import { createLogger } from './logging/logger.js';
import { createMetricsServer } from './metrics/metrics-server.js';
import { AuthorityWriter } from './record/authority-writer.js';
import { ChangeOffset } from './record/change-offset.js';
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
    const pools = createPools(database.url, config, logger);
    const service = await createService(config, pools, logger);
    const { app, drain } = service;
    const metricsServer = config.metricsPort === null ? null : await createMetricsServer(service.metrics);
    const close = async () => {
      await app.close();
      await metricsServer?.close();
    };
    const words = await open(service, metricsServer, config).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return {
      welcome: words,
      stop: async (reason) => {
        logger.info({ reason }, 'stopping');
        const unfinished = await drain.start(config.shutdownTimeoutMs);
        if (unfinished > 0) logger.warn({ unfinished }, 'requests were cut off');
        await close();
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
async function open(service: Service, metricsServer: FastifyInstance | null, config: Config): Promise<string> {
  const { app } = service;
  const { host, port, metricsPort } = config;
  await app.get(ChangeOffset).raise();
  await app.get(AuthorityWriter).ensure(config.namingAuthorities);
  await service.prepare();
  if (metricsServer !== null && metricsPort !== null) {
    await listening('METRICS_PORT', config, metricsServer.listen({ host, port: metricsPort }));
  }
  await listening('PORT', config, app.listen(port, host));
  const metricsUrl = metricsServer?.listeningOrigin ?? null;
  const prefixes = (await app.get(NamingAuthorities).refresh()).all().map(({ prefix }) => prefix);
  return welcome({ url: await app.getUrl(), metricsUrl, config, prefixes: prefixes.sort() });
}

/** @throws StartupError that names the variable to change. */
async function listening(variable: 'PORT' | 'METRICS_PORT', config: Config, started: Promise<unknown>): Promise<void> {
  const port = variable === 'PORT' ? config.port : config.metricsPort;
  try {
    await started;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new StartupError(
        `Port ${port} on ${config.host} is taken. Stop what listens there, or set ${variable} to another one.`,
      );
    }
    throw new StartupError(`Mintmark cannot listen on ${config.host} port ${port}: ${reasonOf(error)}`);
  }
}
