import type { FastifyReply } from 'fastify';
import { type HttpInterface, NO_EXCEPTIONS, READS } from '../../http/http-interface.js';
import { ANY_ORIGIN_HEADERS, DATA_HEADERS } from '../../http/server/security-headers.js';
import { PAGE_CONTENT_SECURITY_POLICY } from '../../record-page/index.js';
import { sendProblem } from '../../problem/send-problem.js';
import type { Entrance } from './entrance.js';

const ROUTE = /^\/\{handle\}$/;

/** Pages of any origin may read responses. `referrer-policy` is absent, so that the policy of the linking page applies. */
export const RESOLVER_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...ANY_ORIGIN_HEADERS,
  'access-control-expose-headers': 'Content-Length, Link, X-Request-Id',
  'content-security-policy': PAGE_CONTENT_SECURITY_POLICY,
});

/** Replaces the headers of this interface by `DATA_HEADERS`, for a path that turns out not to be a name. */
export function leaveInterface(reply: FastifyReply): void {
  for (const name of Object.keys(RESOLVER_HEADERS)) reply.removeHeader(name);
  void reply.headers(DATA_HEADERS);
}

/** Resolution over HTTP: `GET /{handle}`. Problems that concern no name, such as exceeded limits, have the form of the REST API. */
export function resolverInterface({ routeOf }: Entrance): HttpInterface {
  return {
    paths: ROUTE,
    securityHeaders: () => RESOLVER_HEADERS,
    ...NO_EXCEPTIONS,
    anyOrigin: READS,
    routeOf,
    sendProblem,
  };
}
