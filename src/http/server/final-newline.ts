import type { FastifyInstance } from 'fastify';

const JSON_TYPE = /^application\/(?:[a-z.]+\+)?json\b/;

/** Ends every JSON body with a newline for terminals. */
export function endJsonWithNewline(server: FastifyInstance): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    const isJson = typeof payload === 'string' && JSON_TYPE.test(String(reply.getHeader('content-type')));
    done(null, isJson && !payload.endsWith('\n') ? `${payload}\n` : payload);
  });
}
