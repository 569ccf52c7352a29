import { type FastifyInstance, fastify } from 'fastify';
import { respondToClientError } from './http/server/client-errors.js';
import { MethodNotAllowed } from './http/server/method-not-allowed.js';
import { setSecurityHeaders } from './http/server/security-headers.js';
import { sendProblem } from './problem/send-problem.js';
import { Problem } from './problem/problem.js';
import type { Metrics } from './metrics/metrics.js';

/** Maximum time to receive a request. Scrapes are small, so a slower client is treated as abusive. */
const REQUEST_TIMEOUT_MS = 5000;

/** Creates a server that serves only `/metrics`, without a key. */
export async function createMetricsServer(metrics: Metrics): Promise<FastifyInstance> {
  const server = fastify({
    clientErrorHandler: respondToClientError,
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Each connection serves one request. Node.js responds to a further request with 503.
    maxRequestsPerSocket: 1,
  });
  const methods = new MethodNotAllowed();
  setSecurityHeaders(server);
  methods.watch(server);
  server.setErrorHandler(sendProblem);
  server.setNotFoundHandler((request, reply) => {
    sendProblem(new Problem('NOT_FOUND', 'This port serves only /metrics.'), request, reply);
  });
  server.get('/metrics', async (_request, reply) => {
    void reply.type(metrics.contentType).header('cache-control', 'no-store');
    return metrics.scrape();
  });
  await server.register(methods.addTheOthers);
  return server;
}
