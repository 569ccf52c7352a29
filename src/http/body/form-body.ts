import type { FastifyInstance } from 'fastify';

/** Reads forms (`application/x-www-form-urlencoded`) as `URLSearchParams`, on the routes of one plugin. */
export function acceptForms(server: FastifyInstance): void {
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, parsed) => {
    parsed(null, new URLSearchParams(body.toString()));
  });
}
