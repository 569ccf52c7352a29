import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { LogController } from 'fastify';
import type { Logger } from 'pino';
import { v4 as uuid } from 'uuid';
import type { Config } from '../../config/config.js';
import type { HttpInterfaces } from '../http-interface.js';
import { cutForwardedPorts } from '../headers/request-headers.js';
import { parseQuery } from '../validation/request-validation.js';
import { respondToClientError } from './client-errors.js';
import { joinIdentifierSegments } from './unescaped-slash.js';
import { routableTarget } from './malformed-targets.js';
import { Pipelining } from './pipelining.js';

/** A local name may have 8192 bytes, which can be escaped twice (`%25C3`) in a path. Node's default for all headers is 16 KiB. */
const MAX_HEADER_BYTES = 65_536;
const MAX_PATH_PARAMETER_LENGTH = 49_152;

/** Interval of Node's check for slow requests; its default of 30 seconds would make shorter limits ineffective. */
export const CHECK_INTERVAL_MS = 1000;

const KEEP_ALIVE_MS = 65_000;

/** Request IDs are limited in length and characters, because they appear in logs and headers. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The request ID that the client sent, or a new one if it sent none or an invalid one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuid();
}

/** Serves a request without the framework. @returns false if the framework must handle it. */
export type TakeRequest = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Creates the HTTP server with its limits, request IDs and responses to malformed requests. */
export function createAdapter(
  config: Config,
  logger: Logger,
  interfaces: HttpInterfaces,
  take: TakeRequest,
): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
    bodyLimit: config.bodyLimitBytes,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_LENGTH, querystringParser: parseQuery },
    serverFactory: (handle: (request: IncomingMessage, response: ServerResponse) => void) =>
      createHttpServer(config, (request, response) => {
        if (config.trustedProxies.length > 0) cutForwardedPorts(request.headers);
        if (!take(request, response)) handle(request, response);
      }),
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    return503OnClosing: false,
    // After the drain, only idle connections and connections of requests that exceeded the drain timeout remain.
    forceCloseConnections: true,
    genReqId: requestIdOf,
    rewriteUrl: (request: IncomingMessage) =>
      interfaces.routeOf(request) ??
      routableTarget(joinIdentifierSegments(request.url ?? '/', request.method), MAX_PATH_PARAMETER_LENGTH),
    clientErrorHandler: respondToClientError,
  });
}

function createHttpServer(
  { requestTimeoutMs, responseStallTimeoutMs }: Config,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestTimeoutMs,
    // Streams have no time limit while they progress; `limitBodyDuration` limits other bodies.
    requestTimeout: 0,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would reject a request without Host with an empty response; `server-hooks.ts` sends a problem instead.
    requireHostHeader: false,
  };
  // The socket timeout is handled in `client-errors.ts`.
  const pipelining = new Pipelining();
  const server = createServer(options, pipelining.inTurn(listener)).setTimeout(responseStallTimeoutMs);
  pipelining.limit(server);
  return server;
}

/** DTOs validate requests, so Fastify's schema compilers are not loaded. */
function noCompiler(): never {
  throw new Error('no route has a JSON Schema of its own');
}
