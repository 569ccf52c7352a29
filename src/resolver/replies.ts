import type { FastifyReply } from 'fastify';
import { type ApiAnswer, DEFAULT_TTL_SECONDS, apiText } from '../handle-values/index.js';
import { redirectPage } from '../record-page/index.js';
import type { Destination } from './destination/destination.js';
import type { ResolveQuery } from './resolve-query.js';

/** Ten years: caches know no longer time. */
const MAX_TTL_SECONDS = 315_360_000;

export const HTML = 'text/html; charset=utf-8';

let expiresAt = 0;
let expires = '';

/** The time at which a redirect of now expires (RFC 9111 5.3), formatted once a second. */
export function expiry(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== expiresAt) {
    expiresAt = second;
    expires = new Date((second + DEFAULT_TTL_SECONDS) * 1000).toUTCString();
  }
  return expires;
}

/**
 * 302 to the target, with the time for which the value may be cached.
 * @param cacheControl of redirects, which depends on who may read.
 */
export function sendRedirect(reply: FastifyReply, target: string, cacheControl: string): FastifyReply {
  return reply
    .code(302)
    .headers({
      location: target,
      expires: expiry(),
      'cache-control': cacheControl,
      'content-type': HTML,
      vary: 'Accept',
    })
    .send(redirectPage(target));
}

/**
 * A redirect that a stored value asks for.
 * @param scope `public`, or `private` where reading requires a key.
 */
export function sendDestination(
  reply: FastifyReply,
  { kind, location, value }: Destination,
  scope: 'public' | 'private',
): FastifyReply {
  const now = Date.now();
  const { ttl } = value;
  const seconds = 'seconds' in ttl ? ttl.seconds : Math.floor((ttl.until.getTime() - now) / 1000);
  const left = Math.min(Math.max(seconds, 0), MAX_TTL_SECONDS);
  return reply
    .code(kind === 'alias' ? 301 : 302)
    .headers({
      location,
      expires: new Date(now + left * 1000).toUTCString(),
      'cache-control': `${scope}, max-age=${left}`,
      'content-type': HTML,
      vary: 'Accept',
    })
    .send(redirectPage(location));
}

/** 303 to another resolver, which decides how long its own answer may be cached. */
export function sendUpstream(reply: FastifyReply, location: string): FastifyReply {
  return reply
    .code(303)
    .headers({ location, 'cache-control': 'no-store', 'content-type': HTML })
    .send(redirectPage(location));
}

/** A page that depends on `Accept`. */
export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return sendText(reply, status, HTML, html);
}

/** A text that is not stored: the record or its absence may change at any time. */
export function sendText(reply: FastifyReply, status: number, type: string, text: string): FastifyReply {
  return reply.code(status).headers({ 'content-type': type, 'cache-control': 'no-cache', vary: 'Accept' }).send(text);
}

export function sendApi(reply: FastifyReply, { status, body }: ApiAnswer, query: ResolveQuery): FastifyReply {
  const { pretty, callback } = query;
  const type = callback === null ? 'application/json;charset=utf-8' : 'application/javascript;charset=utf-8';
  return sendText(reply, status, type, apiText(body, pretty, callback));
}
