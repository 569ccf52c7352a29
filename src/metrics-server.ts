import { type FastifyInstance, fastify } from 'fastify';
import { Scrapes } from './access/limits/scrapes.js';
import { limitUnreadResponses } from './access/limits/unread-responses.js';
import { respondToClientError, watchClientErrors } from './http/server/client-errors.js';
import { CHECK_INTERVAL_MS } from './http/server/fastify-adapter.js';
import { MethodNotAllowed } from './http/server/method-not-allowed.js';
import { setSecurityHeaders } from './http/server/security-headers.js';
import { sendProblem } from './problem/send-problem.js';
import { Problem } from './problem/problem.js';
import type { Metrics } from './metrics/metrics.js';

/** Maximum time to receive a request. Scrapes are small, so a slower client is treated as abusive. */
const REQUEST_TIMEOUT_MS = 5000;

/** Maximum number of connections. Each connection serves one request, and is closed after 5 seconds without a complete request. */
const MAX_CONNECTIONS = 256;

/** Creates a server that serves only `/metrics`, without a key, and with the limits of `PORT`. */
export async function createMetricsServer(metrics: Metrics, responseStallTimeoutMs: number): Promise<FastifyInstance> {
  const server = fastify({
    clientErrorHandler: respondToClientError,
    forceCloseConnections: true,
    http: { connectionsCheckingInterval: CHECK_INTERVAL_MS },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: responseStallTimeoutMs,
    // Each connection serves one request. Node.js responds to a further request with 503.
    maxRequestsPerSocket: 1,
  });
  server.server.maxConnections = MAX_CONNECTIONS;
  const scrapes = new Scrapes(metrics);
  const methods = new MethodNotAllowed();
  watchClientErrors(server);
  setSecurityHeaders(server);
  limitUnreadResponses(server, metrics);
  methods.watch(server);
  server.setErrorHandler(sendProblem);
  server.setNotFoundHandler((request, reply) => {
    sendProblem(new Problem('NOT_FOUND', 'This port serves only /metrics.'), request, reply);
  });
  server.get('/metrics', (request, reply) => scrapes.text(request, reply));
  await server.register(methods.addTheOthers);
  return server;
}
