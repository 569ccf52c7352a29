import type { FastifyInstance, FastifyRequest } from 'fastify';

const ALWAYS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The policy of API responses: if a browser shows a response as a document, the document may load, run and frame nothing. */
export const DATA_ONLY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of responses that pages of any origin may read and show. */
export const ANY_ORIGIN_HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function securityHeaders(policy: string): Readonly<Record<string, string>> {
  return { ...ALWAYS, 'content-security-policy': policy };
}

export const DATA_HEADERS = securityHeaders(DATA_ONLY);

/** @param headersOf must return shared objects, because a new object per request costs several microseconds. */
export function setSecurityHeaders(
  server: FastifyInstance,
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>> = () => DATA_HEADERS,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headersOf(request));
    done();
  });
}
