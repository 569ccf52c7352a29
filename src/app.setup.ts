import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import type { Pools } from './database/pool.js';
import { serveDocumentation } from './documentation/serve-documentation.js';
import { refuseCrossSite } from './http/cross-site.js';
import { Drain } from './http/drain.js';
import { EventLoopDelay } from './http/event-loop-delay.js';
import { KnownMethods } from './http/known-methods.js';
import { shedOverload } from './http/overload.js';
import { RequestValidation } from './http/request-validation.js';
import { setSecurityHeaders } from './http/security-headers.js';
import { installServerHooks } from './http/server-hooks.js';
import { createAdapter } from './http/adapter.js';
import { FrameworkLogger } from './logging/logger.js';
import { Metrics } from './metrics/metrics.js';
import { countRequests } from './metrics/request-metrics.js';
import { ProblemFilter } from './problem/problem.filter.js';

/** The application, what it counts, and what stops it gently. */
export interface Service {
  readonly app: NestFastifyApplication;
  readonly metrics: Metrics;
  readonly drain: Drain;
  /** Makes every route, so that the application can listen. */
  prepare(): Promise<void>;
}

/**
 * Builds the application as the server runs it and as the OpenAPI document is made from it. Nothing connects to the
 * database before the first request.
 */
export async function createService(config: Config, pools: Pools, logger: Logger): Promise<Service> {
  const adapter = createAdapter(config, logger);
  const server = adapter.getInstance();
  const drain = new Drain();
  const metrics = new Metrics();
  const methods = new KnownMethods();
  metrics.watchPools(pools.general, pools.hot);
  setSecurityHeaders(server);
  installServerHooks(server, drain, config.requestTimeoutMs);
  refuseCrossSite(server);
  countRequests(server, metrics);
  const delay = new EventLoopDelay();
  server.addHook('onListen', (done) => {
    delay.start();
    done();
  });
  const load = {
    eventLoopDelayMs: () => delay.lastingMs,
    waitingStatements: () => pools.general.waitingCount + pools.hot.waitingCount,
  };
  shedOverload(server, config.overload, load, metrics);
  methods.watch(server);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(config, pools, metrics, drain), adapter, {
    abortOnError: false,
    bodyParser: false,
    logger: new FrameworkLogger(logger),
  });
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new RequestValidation());
  serveDocumentation(app);
  const prepare = async () => {
    await app.init();
    await server.register(methods.addTheOthers);
  };
  return { app, metrics, drain, prepare };
}
