import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type pg from 'pg';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { serveDocumentation } from './documentation/openapi-document.js';
import { Drain } from './http/drain.js';
import { RequestValidation } from './http/request-validation.js';
import { installServerHooks } from './http/server-hooks.js';
import { createAdapter } from './http/adapter.js';
import { FrameworkLogger } from './logging/logger.js';
import { ProblemFilter } from './problem/problem.filter.js';

/** The application and what stops it gently. */
export interface Service {
  readonly app: NestFastifyApplication;
  readonly drain: Drain;
}

/**
 * Builds the application as the server runs it and as the OpenAPI document is made from it. Nothing connects to the
 * database before the first request.
 */
export async function createService(config: Config, pool: pg.Pool, logger: Logger): Promise<Service> {
  const adapter = createAdapter(config, logger);
  const drain = new Drain();
  installServerHooks(adapter.getInstance(), drain);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(config, pool), adapter, {
    abortOnError: false,
    bodyParser: false,
    logger: new FrameworkLogger(logger),
  });
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new RequestValidation());
  serveDocumentation(app);
  return { app, drain };
}
