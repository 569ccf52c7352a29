import type { FastifyInstance } from 'fastify';
import { Problem } from '../../problem/problem.js';
import type { HttpInterfaces } from '../http-interface.js';

/** Browsers hide the responses to these methods from other origins. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects requests that a page of another site made a browser send. Under open access, no key protects a POST without a body, which
 * browsers send without a preflight. Browsers declare the origin (W3C Fetch Metadata) and pages cannot change it; other clients omit it.
 * Interfaces that any origin may use have no such routes.
 */
export function rejectCrossSite(server: FastifyInstance, interfaces: HttpInterfaces): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    const site = headers['sec-fetch-site'];
    const isOwn = site !== 'cross-site' && site !== 'same-site';
    if (isOwn || SAFE.has(method) || interfaces.of(request).anyOrigin.has(method)) done();
    else
      done(
        new Problem(
          'CROSS_SITE_REQUEST',
          'The request was sent by a page of another origin; it was rejected and nothing was changed.',
        ),
      );
  });
}
