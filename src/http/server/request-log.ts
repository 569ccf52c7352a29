import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Faces } from '../face.js';

/** Writes the line of a request whose response has been sent. */
export function logRequest(request: FastifyRequest, reply: FastifyReply, faces: Faces): void {
  request.log[faces.of(request).routine.test(request.url) ? 'debug' : 'info'](
    {
      method: request.method,
      url: request.originalUrl,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
    },
    'request',
  );
}
