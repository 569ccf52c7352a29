import { type FastifyInstance, fastify } from 'fastify';
import { answerBrokenHttp } from '../http/broken-http.js';
import { KnownMethods } from '../http/known-methods.js';
import { setSecurityHeaders } from '../http/security-headers.js';
import { sendProblem } from '../problem/problem.filter.js';
import { Problem } from '../problem/problem.js';
import type { Metrics } from './metrics.js';

/** A scrape has no body and few headers; whoever is slower than this is none. */
const REQUEST_TIMEOUT_MS = 5000;

/** A server for a port of its own that serves `GET /metrics` to whoever reaches it, and nothing else. */
export async function createMetricsServer(metrics: Metrics): Promise<FastifyInstance> {
  const server = fastify({
    clientErrorHandler: answerBrokenHttp,
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  const methods = new KnownMethods();
  setSecurityHeaders(server);
  methods.watch(server);
  server.setErrorHandler(sendProblem);
  server.setNotFoundHandler((request, reply) => {
    sendProblem(new Problem('NOT_FOUND', 'This port serves /metrics only.'), request, reply);
  });
  server.get('/metrics', async (_request, reply) => {
    void reply.type(metrics.contentType).header('cache-control', 'no-store');
    return metrics.scrape();
  });
  await server.register(methods.addTheOthers);
  return server;
}
