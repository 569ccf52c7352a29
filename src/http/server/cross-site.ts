import type { FastifyInstance } from 'fastify';
import { Problem } from '../../problem/problem.js';

/** Safe methods; browsers hide their responses from other origins. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects requests that a page of another site made a browser send. Under open access no key protects a POST without a
 * body, which browsers send without a preflight. Browsers state the origin (W3C Fetch Metadata), and pages cannot
 * change it; other clients do not send it.
 */
export function refuseCrossSite(server: FastifyInstance): void {
  server.addHook('onRequest', ({ method, headers }, _reply, done) => {
    const site = headers['sec-fetch-site'];
    if (SAFE.has(method) || (site !== 'cross-site' && site !== 'same-site')) done();
    else
      done(
        new Problem(
          'CROSS_SITE_REQUEST',
          'The request was sent by a page of another origin; it was rejected and nothing was changed.',
        ),
      );
  });
}
