import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isStreamed } from './streamed-body.js';

/** Aborts a request whose body is too slow. Node's limit would also abort streams that make progress. */
export function limitBodyDuration(server: FastifyInstance, limitMs: number): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request) && !isStreamed(request)) {
      const { raw } = request;
      const deadline = setTimeout(() => {
        if (raw.complete || raw.destroyed) return;
        const error = Object.assign(new Error('the body was not received in time'), {
          code: 'ERR_HTTP_REQUEST_TIMEOUT',
        });
        server.server.emit('clientError', error, raw.socket);
      }, limitMs).unref();
      raw.once('end', () => {
        clearTimeout(deadline);
      });
    }
    done();
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
