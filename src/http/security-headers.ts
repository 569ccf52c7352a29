import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** An answer of the API is data: as a document it may load nothing, run nothing and be framed by nobody. */
const DATA_ONLY = { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] };

/**
 * Swagger UI runs scripts and calls the API of this service only. Its page holds style elements and attributes, and its
 * style sheet holds images as data.
 */
const SWAGGER_UI = {
  ...DATA_ONLY,
  connectSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
};

/**
 * The headers of every answer, for those answers that no hook sees: what is refused before routing, and what is written
 * to the socket by hand. A test holds them equal to what helmet sets.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Sets the headers by which a browser keeps an answer harmless. Strict-Transport-Security is left to the proxy that has
 * TLS: it speaks for a whole host.
 */
export async function setSecurityHeaders(server: FastifyInstance): Promise<void> {
  // Before helmet's own hook, which reads this option of a route.
  server.addHook('onRoute', (route) => {
    if (!/^\/docs(\/|$)/.test(route.url)) return;
    route.helmet = { contentSecurityPolicy: { useDefaults: false, directives: SWAGGER_UI } };
  });
  await server.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: DATA_ONLY },
    frameguard: { action: 'deny' },
    hsts: false,
    // For browsers of the past, or for pages only.
    dnsPrefetchControl: false,
    ieNoOpen: false,
    originAgentCluster: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  });
}
