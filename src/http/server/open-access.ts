import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../problem/problem.js';
import type { HttpInterfaces } from '../http-interface.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a route lists names. Such a route rejects other origins, whatever its interface permits. */
    lists?: boolean;
  }
}

/** The authority of an absolute URI: a request target (RFC 9112 3.2.2) or an origin (RFC 6454 6.1). */
const AUTHORITY_OF_URI = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/** An authority without user information. The URL parser would accept user information. */
const AUTHORITY = /^[^\s/?#@\\]+$/;

/** Maximum number of remembered authorities. It limits memory, because a client can send any port and any address of 127.0.0.0/8. */
const MAX_KNOWN = 100;

/** Browsers hide the responses to these methods from other origins. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Hosts under which a service with open access is used: the hosts of the loopback interface, and configured hosts. */
export class OpenHosts {
  private readonly configured: ReadonlySet<string | null>;
  private readonly known = new Set<string>();

  /** @param configured names and addresses without ports. */
  constructor(configured: readonly string[]) {
    this.configured = new Set(configured.map((host) => hostOf(isIPv6(host) ? `[${host}]` : host)));
  }

  /** @param authority host and port; ports are not compared. */
  includes(authority: string): boolean {
    if (this.known.has(authority)) return true;
    const host = hostOf(authority);
    const isAllowed = host !== null && (isLoopback(host) || this.configured.has(host));
    if (isAllowed && this.known.size < MAX_KNOWN) this.known.add(authority);
    return isAllowed;
  }

  isConfigured(authority: string): boolean {
    return this.configured.has(hostOf(authority));
  }
}

/**
 * Rejects requests of pages of other origins under open access. Checks Host for names that resolve to the loopback address (DNS rebinding),
 * Origin, and Sec-Fetch-Site for a list that a page includes as a script. Pages cannot set these headers.
 * @param interfaces if the interface of a request has its method in `anyOrigin`, only Host is checked, unless the route is a list.
 */
export function guardOpenAccess(server: FastifyInstance, allowed: OpenHosts, interfaces?: HttpInterfaces): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { origin, host } = request.headers;
    const ofTarget = AUTHORITY_OF_URI.exec(request.originalUrl)?.[1];
    const misdirected = [host, ofTarget].find((authority) => authority !== undefined && !allowed.includes(authority));
    if (misdirected !== undefined) done(rejectionOf(misdirected));
    else if (
      (origin === undefined ? !isListAsScript(request) : isOwn(origin, host ?? '', allowed)) ||
      (!isList(request) && interfaces?.of(request).anyOrigin.has(request.method) === true)
    )
      done();
    else done(crossSite());
  });
}

/**
 * Rejects requests that a page of another site made a browser send. Under open access, no key protects a POST without a body, which
 * browsers send without a preflight. Browsers send Sec-Fetch-Site (W3C Fetch Metadata), which pages cannot change; other clients omit it.
 */
export function rejectCrossSite(server: FastifyInstance, interfaces: HttpInterfaces): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    if (!isOfOtherSite(request) || SAFE.has(method) || interfaces.of(request).anyOrigin.has(method)) done();
    else done(crossSite());
  });
}

function isOfOtherSite({ headers: { 'sec-fetch-site': site } }: FastifyRequest): boolean {
  return site === 'cross-site' || site === 'same-site';
}

function crossSite(): Problem {
  const detail = 'The request was sent by a page of another origin; it was rejected and nothing was changed.';
  return new Problem('CROSS_SITE_REQUEST', detail);
}

function isList({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.lists === true;
}

/** Whether a page of another origin includes a list as a script (JSONP), which sends no Origin. */
function isListAsScript(request: FastifyRequest): boolean {
  return isList(request) && request.headers['sec-fetch-dest'] === 'script' && isOfOtherSite(request);
}

/** Accepts any scheme, because a proxy may terminate TLS. */
function isOwn(origin: string, host: string, allowed: OpenHosts): boolean {
  const authority = AUTHORITY_OF_URI.exec(origin)?.[1];
  if (authority === undefined) return false;
  return authority.toLowerCase() === host.toLowerCase() || allowed.isConfigured(authority);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function hostOf(authority: string): string | null {
  if (!AUTHORITY.test(authority)) return null;
  const url = `http://${authority}`;
  return URL.canParse(url) ? new URL(url).hostname : null;
}

function rejectionOf(authority: string): Problem {
  const detail = `With ACCESS=open the service accepts requests for localhost and ALLOWED_HOSTS only, not for "${authority}".`;
  return new Problem('MISDIRECTED_REQUEST', detail);
}
