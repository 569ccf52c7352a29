import { WELL_KNOWN_RESOLVERS } from '@mintmark/identifier';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import type { Logger } from 'pino';
import { type PreparedApplication, createApplication } from './app.setup.js';
import { type Config, describeAccess } from './config/config.js';
import { StartupError, reasonOf } from './config/startup-error.js';
import { VERSION } from './config/version.js';
import { createPools } from './database/pool.js';
import { isPrivilegeError, missingPrivilege } from './database/schema-rights.js';
import { Cursors } from './http/cursor.js';
import type { Drain } from './http/server/drain.js';
import { OpenHosts, guardOpenAccess } from './http/server/open-access.js';
import type { LineLimit } from './logging/line-limit.js';
import { OutageLog } from './logging/outage-log.js';
import { databaseFailure } from './problem/database-errors.js';
import { createMetricsServer } from './metrics-server.js';
import { NamesStoredByOtherRule, NamingAuthorityWriter } from './storage/naming-authorities/naming-authority-writer.js';
import { hasReservedSegment, hidesUrlsOf } from './registry/naming-authority.js';
import type { NamingAuthoritySnapshot } from './registry/naming-authority-snapshot.js';
import { loadCursorSecret } from './storage/cursor-secret.js';
import { Transactions } from './storage/transactions.js';
import { NamingAuthorityCache } from './storage/naming-authorities/naming-authority-cache.js';
import { listening } from './listening-ports.js';
import { startupBanner } from './startup-banner.js';

const SETTINGS_DIFFER =
  'a naming authority of NAMING_AUTHORITIES exists with another profile or metadata ID scheme; PATCH /naming-authorities can change these settings while it has no identifiers';

export interface Server {
  readonly banner: string;
  readonly drain: Drain;
  close(): Promise<void>;
}

/** Opens the pools, the application and the ports. @throws StartupError if a port or the database fails, after closing the application. */
export async function openServer(config: Config, url: string, logger: Logger, limit: LineLimit): Promise<Server> {
  const outages = new OutageLog(logger);
  const pools = createPools(url, config, logger, outages);
  // The pools connect while the application is created. The first use of a pool reports its errors.
  const connecting = Promise.allSettled(
    [pools.general, pools.hot].map(async (pool) => {
      (await pool.connect()).release();
    }),
  );
  const service = await createApplication(config, pools, logger, outages);
  await connecting;
  const { app, drain } = service;
  service.metrics.watchLog(() => limit.dropped);
  const metricsServer =
    config.metricsPort === null ? null : await createMetricsServer(service.metrics, config.responseStallTimeoutMs);
  if (metricsServer !== null && config.openAccessHosts !== null) {
    guardOpenAccess(metricsServer, new OpenHosts(config.openAccessHosts));
  }
  const close = async () => {
    await app.close();
    await metricsServer?.close();
  };
  const banner = await open(service, metricsServer, config, logger).catch(async (error: unknown) => {
    await close();
    if (isPrivilegeError(error)) throw missingPrivilege(error, url);
    if (error instanceof NamesStoredByOtherRule) throw new StartupError(`NAMING_AUTHORITIES: ${error.message}`);
    const failure = databaseFailure(error);
    if (failure === null) throw error;
    throw new StartupError(
      `The database failed during the start: ${reasonOf(failure.reason)}. Start again when it accepts writes; what was written before is complete.`,
    );
  });
  return { banner, drain, close };
}

async function open(
  service: PreparedApplication,
  metricsServer: FastifyInstance | null,
  config: Config,
  logger: Logger,
): Promise<string> {
  const { app } = service;
  const { host, port, metricsPort } = config;
  // This empty transaction raises the offset of positions if the database server was restarted or replaced (see `PositionOffset`).
  await app.get(Transactions).run(async () => {});
  await service.replica?.watch.start();
  app.get(Cursors).useSecret(await loadCursorSecret(app.get(pg.Pool)));
  const authorities = app.get(NamingAuthorityCache);
  requireSegments(config, await authorities.refresh());
  await app.get(NamingAuthorityWriter).ensure(config.namingAuthorities);
  await service.prepare();
  if (metricsServer !== null && metricsPort !== null) {
    await listening('METRICS_PORT', config, () => metricsServer.listen({ host, port: metricsPort }));
  }
  // Naming authorities are read before the first request, because the resolver recognizes paths by them.
  const known = await authorities.refresh();
  for (const { prefix, profile, metadataIdScheme } of config.namingAuthorities) {
    const existing = known.find(prefix);
    // NAMING_AUTHORITIES cannot require the scheme "recognized".
    const hasScheme = metadataIdScheme === 'recognized' || existing?.metadataIdScheme === metadataIdScheme;
    if (existing?.profile === profile && hasScheme) continue;
    const found = { profile: existing?.profile, metadataIdScheme: existing?.metadataIdScheme };
    logger.warn({ prefix, existing: found, configured: { profile, metadataIdScheme } }, SETTINGS_DIFFER);
  }
  await listening('PORT', config, () => app.listen(port, host));
  logger.info({ version: VERSION, access: config.openAccessHosts === null ? 'keys' : 'open' }, describeAccess(config));
  const metricsUrl = metricsServer?.listeningOrigin ?? null;
  const prefixes = known.all().map(({ prefix }) => prefix);
  return startupBanner({ url: await app.getUrl(), metricsUrl, config, prefixes: prefixes.sort() });
}

/** Checked before naming authorities are created, because they can be neither deleted nor renamed. @throws StartupError */
function requireSegments({ resolver, namingAuthorities }: Config, known: NamingAuthoritySnapshot): void {
  if (WELL_KNOWN_RESOLVERS.includes(resolver.authority)) return;
  const prefixes = namingAuthorities.map(({ prefix }) => prefix);
  const hiding = [...known.prefixes, ...prefixes].find((prefix) => hidesUrlsOf(resolver, prefix));
  if (hiding === undefined && !hasReservedSegment(resolver)) return;
  const what = hiding === undefined ? 'a first path segment of this service' : `the naming authority "${hiding}"`;
  throw new StartupError(`RESOLVER_FIRST_SEGMENT is ${what}, so that no URL of the resolver could be resolved here.`);
}
