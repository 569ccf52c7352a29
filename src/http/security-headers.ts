import type { FastifyInstance } from 'fastify';

/** The headers by which a browser keeps an answer harmless, whatever it was made to do with it. */
const ALWAYS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** An answer of the API is data: as a document it may load nothing, run nothing and be framed by nobody. */
const DATA_ONLY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Swagger UI runs scripts and calls the API of this service only. Its page and its script make style elements, and its
 * style sheet holds images as data.
 */
const SWAGGER_UI = `${DATA_ONLY}; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'`;

/**
 * The headers of every answer but those of Swagger UI: also of what is refused before a hook runs, and of what is written
 * to the socket by hand. Strict-Transport-Security is left to the proxy that has TLS: it speaks for a whole host.
 */
export const SECURITY_HEADERS = { ...ALWAYS, 'content-security-policy': DATA_ONLY };

const SWAGGER_UI_HEADERS = { ...ALWAYS, 'content-security-policy': SWAGGER_UI };

/** Sets the security headers of every answer that a hook sees. */
export function setSecurityHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(/^\/docs(?:[/?]|$)/.test(request.url) ? SWAGGER_UI_HEADERS : SECURITY_HEADERS);
    done();
  });
}
