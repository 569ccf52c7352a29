import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type pg from 'pg';
import type { Logger } from 'pino';
import { AccessGuard } from './access/access.guard.js';
import { admitRequests, countUnrouted, watchWork } from './access/admission.js';
import { LargeBodies } from './access/limits/large-bodies.js';
import { LimitsGuard } from './access/limits/limits.guard.js';
import { limitUnreadResponses } from './access/limits/unread-responses.js';
import { REST_API } from './api/rest-interface.js';
import { Readiness } from './storage/readiness.js';
import { AppModule } from './app.module.js';
import { handleApiInterface } from './handle/api/handle-api-interface.js';
import { HandleApi, handleApiRoutes } from './handle/api/handle-api.js';
import { Entrance } from './handle/resolver/entrance.js';
import { resolverInterface } from './handle/resolver/resolver-interface.js';
import { ResolverHandler } from './handle/resolver/resolver.handler.js';
import { confirmPrefixes, resolverRoutes } from './handle/resolver/resolver.routes.js';
import { Transactions } from './storage/transactions.js';
import { NamingAuthorityReads } from './storage/replica/reads.js';
import { RegistryFigures } from './storage/registry-figures.js';
import type { Config } from './config/config.js';
import { VERSION } from './config/version.js';
import { DirectPath } from './direct-path.js';
import { CommitWatch } from './database/commit-watch.js';
import { ConnectionPool } from './database/connection-pool.js';
import type { Pools } from './database/pool.js';
import { Replica } from './database/replica/replica.js';
import { HttpInterfaces } from './http/http-interface.js';
import { limitBodies } from './http/body/body-limits.js';
import { dropStreamsOfHead } from './http/body/send-stream.js';
import { Drain } from './http/server/drain.js';
import { endJsonWithNewline, installServerHooks } from './http/server/server-hooks.js';
import { EventLoopDelay, pressureOf, shedLoad } from './http/server/load-shedding.js';
import { rejectMalformedTargets } from './http/server/malformed-targets.js';
import { MethodNotAllowed } from './http/server/method-not-allowed.js';
import { OpenHosts, guardOpenAccess, rejectCrossSite } from './http/server/open-access.js';
import { rejectUnknownParameters } from './http/validation/unknown-parameters.js';
import { limitResponseTime } from './http/server/response-deadline.js';
import { setSecurityHeaders } from './http/server/security-headers.js';
import { RequestLog } from './http/server/request-log.js';
import { createAdapter } from './http/server/fastify-adapter.js';
import { frameworkLogger } from './logging/logger.js';
import { OutageLog } from './logging/outage-log.js';
import { Metrics, countRequests } from './metrics/metrics.js';
import { RecordCache } from './storage/identifiers/cache/record-cache.js';
import { ProblemFilter } from './problem/send-problem.js';

export interface PreparedApplication {
  readonly app: NestFastifyApplication;
  readonly metrics: Metrics;
  readonly drain: Drain;
  /** Null without READ_DATABASE_URL. */
  readonly replica: Replica | null;
  prepare(): Promise<void>;
}

/** Builds the application without a connection to the database, so that the OpenAPI document can be generated from it. */
export async function createApplication(
  config: Config,
  pools: Pools,
  logger: Logger,
  outages = new OutageLog(logger),
): Promise<PreparedApplication> {
  const entrance = entranceOf(config);
  const interfaces = interfacesOf(config, entrance);
  const direct = new DirectPath();
  const adapter = createAdapter(config, logger, interfaces, direct.take);
  const server = adapter.getInstance();
  const drain = new Drain();
  const metrics = new Metrics();
  const methods = new MethodNotAllowed();
  const { general, hot, log, probe, replica: replicaPools } = pools;
  const replica = replicaPools === null ? null : new Replica(replicaPools, logger);
  timeStatements(metrics, { general, hot, log, probe, replica: replicaPools?.reads });
  metrics.database.watchPools(general, hot, log, probe, ...(replicaPools === null ? [] : Object.values(replicaPools)));
  if (replica !== null) metrics.database.watchReplica(replica);
  server.decorate('failures', outages);
  setSecurityHeaders(server, (request) => interfaces.of(request).securityHeaders(request.url));
  endJsonWithNewline(server);
  limitUnreadResponses(server, metrics);
  dropStreamsOfHead(server);
  watchWork(server);
  const requestLog = new RequestLog(config.logAddresses);
  installServerHooks(server, drain, interfaces, requestLog, config);
  const hosts = config.openAccessHosts === null ? null : new OpenHosts(config.openAccessHosts);
  if (hosts !== null) guardOpenAccess(server, hosts, interfaces);
  rejectCrossSite(server, interfaces);
  countRequests(server, metrics);
  const delay = new EventLoopDelay();
  server.addHook('onListen', (done) => {
    delay.start();
    done();
  });
  let waitingWrites = (): number => 0;
  const pressure = pressureOf(config.overload, {
    eventLoopDelayMs: () => delay.lastingMs,
    waitingStatements: () => pools.general.waitingCount + pools.hot.waitingCount + waitingWrites(),
  });
  shedLoad(server, interfaces, pressure, () => {
    metrics.rejected('overload');
  });
  rejectUnknownParameters(server);
  limitBodies(server, config.bodyLimitBytes);
  limitResponseTime(server, interfaces, config.pool.connectTimeoutMs + config.pool.statementTimeoutMs);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(config, pools, replica, metrics, drain, outages),
    adapter,
    { abortOnError: false, bodyParser: false, logger: frameworkLogger(logger) },
  );
  metrics.watchRecordCache(app.get(RecordCache));
  metrics.describeBuild(VERSION, process.versions.node);
  const figures = app.get(RegistryFigures, { strict: false });
  metrics.database.watchSize(() => figures.read());
  const transactions = app.get(Transactions, { strict: false });
  waitingWrites = () => transactions.waiting;
  metrics.queueDepth('writes', waitingWrites);
  const commits = app.get(CommitWatch);
  commits.onCommit(() => {
    outages.committed();
  });
  metrics.database.watchCommits(commits);
  const readiness = app.get(Readiness, { strict: false });
  metrics.database.watchReadiness(() => readiness.gauge());
  const limits = app.get(LimitsGuard);
  if (entrance !== null) {
    confirmPrefixes(server, entrance, app.get(NamingAuthorityReads, { strict: false }), limits);
  }
  const reader = app.get(AccessGuard).publicReader;
  if (reader !== null) {
    const authorities = app.get(NamingAuthorityReads, { strict: false });
    const handler = entrance === null ? null : app.get(ResolverHandler, { strict: false });
    direct.use({
      drain,
      limits,
      metrics,
      logger,
      requestLog,
      reader,
      hosts,
      pressure,
      trustedProxies: config.trustedProxies,
      records: app.get(RecordCache),
      redirects: entrance && handler && { entrance, redirects: handler.redirects, settings: handler.settings },
      authorities: config.interfaces.has('handles') ? authorities : null,
    });
  }
  countUnrouted(server, interfaces, limits);
  methods.watch(server);
  admitRequests(server, app.get(AccessGuard), limits, app.get(LargeBodies));
  app.useGlobalFilters(new ProblemFilter((request) => interfaces.of(request).sendProblem));
  const prepare = async () => {
    await app.init();
    if (entrance !== null) await server.register(resolverRoutes(app.get(ResolverHandler, { strict: false })));
    if (config.interfaces.has('handles')) {
      await server.register(handleApiRoutes(app.get(HandleApi, { strict: false }), config.openAccessHosts === null));
    }
    await server.register(methods.addTheOthers);
    rejectMalformedTargets(server);
  };
  return { app, metrics, drain, replica, prepare };
}

function timeStatements({ database }: Metrics, pools: Readonly<Record<string, pg.Pool | undefined>>): void {
  for (const [name, pool] of Object.entries(pools)) {
    if (pool instanceof ConnectionPool) pool.statementEnded = database.statementTimer(name);
  }
}

/** The interfaces in order of precedence. The last interface is always `REST_API`, because it has the health checks. */
function interfacesOf({ interfaces, openAccessHosts }: Config, entrance: Entrance | null): HttpInterfaces {
  const resolver = entrance === null ? [] : [resolverInterface(entrance)];
  const handles = interfaces.has('handles') ? [handleApiInterface(openAccessHosts === null)] : [];
  return new HttpInterfaces([...handles, ...resolver, REST_API]);
}

function entranceOf({ interfaces, upstream, publicRead, openAccessHosts }: Config): Entrance | null {
  if (!interfaces.has('resolver')) return null;
  return new Entrance({
    hasUpstream: upstream !== null,
    isClosed: !publicRead && openAccessHosts === null,
    hasFrontPage: !interfaces.has('api'),
  });
}
