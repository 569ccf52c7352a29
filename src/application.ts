import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type Service, createService } from './app.setup.js';
import type { Config } from './config/config.js';
import { StartupError, reasonOf } from './config/startup-error.js';
import { createPools } from './database/pool.js';
import type { Drain } from './http/drain.js';
import { createMetricsServer } from './metrics/metrics-server.js';
import { AuthorityWriter } from './record/authority-writer.js';
import { ChangeOffset } from './record/change-offset.js';
import { NamingAuthorities } from './record/naming-authorities.js';
import { welcome } from './welcome.js';

/** What listens, over a database that has the schema. */
export interface Application {
  readonly welcome: string;
  readonly drain: Drain;
  close(): Promise<void>;
}

/** @throws StartupError; what had been opened is closed again. */
export async function openApplication(config: Config, url: string, logger: Logger): Promise<Application> {
  const pools = createPools(url, config, logger);
  // Whoever needs them first, in a moment, need not wait for them, nor for what is wrong with them to tell it.
  const connecting = Promise.allSettled([pools.general, pools.hot].map(openConnection));
  const service = await createService(config, pools, logger);
  await connecting;
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
  return { welcome: words, drain, close };
}

async function openConnection(pool: pg.Pool): Promise<void> {
  (await pool.connect()).release();
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
