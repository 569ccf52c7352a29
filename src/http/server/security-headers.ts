import type { FastifyInstance } from 'fastify';

const ALWAYS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Responses of the API are data: as a document they may load, run and frame nothing. */
const DATA_ONLY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Swagger UI needs scripts, inline styles, images as data, and requests to this service. */
const SWAGGER_UI = `${DATA_ONLY}; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'`;

export const SECURITY_HEADERS = { ...ALWAYS, 'content-security-policy': DATA_ONLY };

const SWAGGER_UI_HEADERS = { ...ALWAYS, 'content-security-policy': SWAGGER_UI };

export function setSecurityHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(/^\/docs(?:[/?]|$)/.test(request.url) ? SWAGGER_UI_HEADERS : SECURITY_HEADERS);
    done();
  });
}
