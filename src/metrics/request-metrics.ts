import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.js';

export function countRequests(server: FastifyInstance, metrics: Metrics): void {
  server.decorateReply('problemCode', null);
  server.decorateRequest('streamProblem', null);
  server.decorate('streamEnded', (route: string, outcome: string) => {
    metrics.streamed(route, outcome);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? null : (request.routeOptions.url ?? null);
    if (reply.problemCode !== null) metrics.failed(reply.problemCode);
    metrics.answered(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
