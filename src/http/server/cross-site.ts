import type { FastifyInstance } from 'fastify';
import { Problem } from '../../problem/problem.js';
import type { HttpInterfaces } from '../http-interface.js';

/** Browsers hide the responses to these methods from other origins. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects requests that a page of another site made a browser send. Under open access, no key protects a POST without a body, which
 * browsers send without a preflight. Browsers send Sec-Fetch-Site (W3C Fetch Metadata), which pages cannot change; other clients omit it.
 * Requests with a method in `anyOrigin` of their interface only read or need a key, so they are permitted.
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
