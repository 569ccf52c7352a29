import type { FastifyInstance } from 'fastify';
import { Problem } from '../problem/problem.js';

/** Methods that change nothing; their answers are kept from other pages by the browser. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what a page of another site makes a browser send. Where access is open there is no key that the page would lack,
 * and a browser sends a POST without a body, such as an action on an identifier, without asking first. It tells where a
 * request comes from (W3C Fetch Metadata), and no page can change what it tells; other clients tell nothing.
 */
export function refuseCrossSite(server: FastifyInstance): void {
  server.addHook('onRequest', ({ method, headers }, _reply, done) => {
    const site = headers['sec-fetch-site'];
    if (SAFE.has(method) || (site !== 'cross-site' && site !== 'same-site')) done();
    else
      done(new Problem('CROSS_SITE_REQUEST', 'A page of another origin made the browser send this; nothing was done.'));
  });
}
