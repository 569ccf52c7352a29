import type { IncomingHttpHeaders } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { v4 as uuid } from 'uuid';
import type { Config } from '../config/config.js';
import { sendProblem } from '../problem/problem.filter.js';
import { answerBrokenHttp } from './broken-http.js';
import { joinIdentifierSegments } from './identifier-path.js';
import { SECURITY_HEADERS } from './security-headers.js';

/**
 * A local name may have 8192 octets, each of which may be escaped twice (`%25C3`) in a path: 5 characters an octet, and
 * room for a prefix and a resolver. Node's own limit for the request line and all headers together is 16 KiB.
 */
const MAX_HEADER_BYTES = 65_536;
const MAX_PATH_PARAMETER_LENGTH = 49_152;

/** How often Node looks for requests that take too long; its own 30 seconds would make any shorter limit a fiction. */
const CHECK_INTERVAL_MS = 1000;

/** An inbound request id is repeated in logs and in a header, so it is kept short and plain. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** How the HTTP server behaves before any route is reached: limits, request ids, and answers to broken HTTP. */
export function createAdapter(config: Config, logger: Logger): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
    bodyLimit: config.bodyLimitBytes,
    // Streams may take as long as they make progress; `body-deadline.ts` limits all other bodies.
    requestTimeout: 0,
    // Of silence on a socket; `broken-http.ts` says what it means.
    connectionTimeout: config.answerStallTimeoutMs,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_LENGTH },
    // Node would refuse a request without Host by an answer without a body; `server-hooks.ts` does it with a problem.
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: config.requestTimeoutMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      requireHostHeader: false,
    },
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    return503OnClosing: false,
    // The drain has waited for every request; what is left are connections that ask nothing.
    forceCloseConnections: true,
    genReqId: ({ headers }: { headers: IncomingHttpHeaders }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuid();
    },
    rewriteUrl: ({ url, method }: { url?: string | undefined; method?: string | undefined }) =>
      joinIdentifierSegments(url ?? '/', method),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // The router refuses a malformed URL before any hook runs.
      sendProblem(error, request, reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id }));
    },
    clientErrorHandler: answerBrokenHttp,
  });
}

/** DTOs hold every request, and answers are what they are: Fastify's compilers of JSON Schemas are not even loaded. */
function noCompiler(): never {
  throw new Error('no route has a JSON Schema of its own');
}
