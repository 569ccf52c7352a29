import type { FastifyInstance, FastifyRequest } from 'fastify';

const ALWAYS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Responses of the API are data: as a document they may load, run and frame nothing. */
export const DATA_ONLY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The headers of every response. @param policy the Content-Security-Policy. */
export function securityHeaders(policy: string): Record<string, string> {
  return { ...ALWAYS, 'content-security-policy': policy };
}

/** @param policyOf the Content-Security-Policy of a request; by default that of data. */
export function setSecurityHeaders(
  server: FastifyInstance,
  policyOf: (request: FastifyRequest) => string = () => DATA_ONLY,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(securityHeaders(policyOf(request)));
    done();
  });
}
