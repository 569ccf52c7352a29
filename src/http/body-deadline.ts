import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CSV, NDJSON } from './streamed-body.js';

/**
 * Gives a request up whose body does not arrive in time. Node's own limit for whole requests would cut streams that make
 * progress, and knows no exception.
 */
export function limitBodyTime(server: FastifyInstance, limitMs: number): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request) && !isStreamed(request)) {
      const { raw } = request;
      const deadline = setTimeout(() => {
        if (raw.complete || raw.destroyed) return;
        const error = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
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

function isStreamed({ headers }: FastifyRequest): boolean {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';', 1);
  return [NDJSON, CSV].includes(mediaType.trim().toLowerCase());
}
