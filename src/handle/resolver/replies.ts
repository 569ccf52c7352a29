import type { FastifyReply } from 'fastify';
import { type HandleResponse, apiText, secondsToLive } from '../values/index.js';
import { redirectPage } from '../../record-page/index.js';
import type { Destination } from './destination/destination.js';
import { type HandleQuery, requireNoCredentials } from '../handle-query.js';

/** Seconds for which caches may store a redirect. During this time, clients of a cache might not see a change of the target. */
export interface RedirectAges {
  readonly browserSeconds: number;
  /** In a shared cache, such as a caching proxy; null if reading requires a key, because no shared cache may then store the redirect. */
  readonly sharedSeconds: number | null;
}

/** `Cache-Control` of a redirect (RFC 9111 5.2.2), with `mostSeconds` as the maximum of both times. */
function cacheControlOf({ browserSeconds, sharedSeconds }: RedirectAges, mostSeconds = Infinity): string {
  const own = `max-age=${Math.min(browserSeconds, mostSeconds)}`;
  return sharedSeconds === null
    ? `private, ${own}`
    : `public, ${own}, s-maxage=${Math.min(sharedSeconds, mostSeconds)}`;
}

export const HTML = 'text/html; charset=utf-8';

/** The headers of redirects. `Expires` is formatted at most once a second. */
export class RedirectHeaders {
  readonly cacheControl: string;
  private second = 0;
  private formatted = '';

  constructor(readonly ages: RedirectAges) {
    this.cacheControl = cacheControlOf(ages);
  }

  /** `Expires` of a redirect that is sent now (RFC 9111 5.3). */
  expires(): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.formatted = new Date((second + this.ages.browserSeconds) * 1000).toUTCString();
    }
    return this.formatted;
  }
}

export function setLink(reply: FastifyReply, link: string | undefined): void {
  if (link !== undefined) void reply.header('link', link);
}

function redirect(reply: FastifyReply, status: number, location: string, caching: object): FastifyReply {
  const headers = { location, ...caching, 'content-type': HTML, vary: 'Accept' };
  return reply.code(status).headers(headers).send(redirectPage(location));
}

/** Responds 302 with the target. */
export function sendRedirect(reply: FastifyReply, target: string, redirects: RedirectHeaders): FastifyReply {
  return redirect(reply, 302, target, { expires: redirects.expires(), 'cache-control': redirects.cacheControl });
}

/** Redirects to the destination in a value. Without `ages`, the redirect is temporary and is not stored. */
export function sendDestination(
  reply: FastifyReply,
  { kind, location, value }: Destination,
  ages: RedirectAges | null,
): FastifyReply {
  if (ages === null) return redirect(reply, 302, location, { 'cache-control': 'no-store' });
  const now = Date.now();
  const left = secondsToLive(value, now);
  const expires = new Date(now + Math.min(left, ages.browserSeconds) * 1000).toUTCString();
  return redirect(reply, kind === 'alias' ? 301 : 302, location, {
    expires,
    'cache-control': cacheControlOf(ages, left),
  });
}

/** Responds 303 with the URL at another resolver. */
export function sendUpstream(reply: FastifyReply, location: string): FastifyReply {
  return reply
    .code(303)
    .headers({ location, 'cache-control': 'no-store', 'content-type': HTML })
    .send(redirectPage(location));
}

export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return sendText(reply, status, HTML, html);
}

/** Sends a text. Caches must revalidate it, because the record, or its absence, can change at any time. */
export function sendText(reply: FastifyReply, status: number, type: string, text: string): FastifyReply {
  return reply.code(status).headers({ 'content-type': type, 'cache-control': 'no-cache', vary: 'Accept' }).send(text);
}

/** @throws Problem INVALID_REQUEST for a `callback` with credentials */
export function sendApi(reply: FastifyReply, { status, body }: HandleResponse, query: HandleQuery): FastifyReply {
  requireNoCredentials(reply.request, query);
  const { pretty, callback } = query;
  const type = callback === null ? 'application/json;charset=utf-8' : 'application/javascript;charset=utf-8';
  return sendText(reply, status, type, apiText(body, pretty, callback));
}
