import type { FastifyInstance } from 'fastify';
import { readJsonBody } from './json-body.js';
import type { Drain } from './drain.js';

/** What every request passes on its way in and out: its id, its line in the log, the drain, and the JSON reader. */
export function installServerHooks(server: FastifyInstance, drain: Drain): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  drain.watch(server);
  server.addHook('onResponse', (request, reply, done) => {
    const level = request.url.startsWith('/health/') ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        url: request.originalUrl,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 100) / 100,
      },
      'request',
    );
    done();
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, readJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}
