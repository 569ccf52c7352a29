import type { FastifyReply, FastifyRequest } from 'fastify';

/** Frequent requests of probes and scrapers. */
const ROUTINE = /^\/(health|metrics)\b/;

/** Writes the line of a request whose response has been sent. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log[ROUTINE.test(request.url) ? 'debug' : 'info'](
    {
      method: request.method,
      url: request.originalUrl,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
    },
    'request',
  );
}
