import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { Logger } from 'pino';
import type { LimitsGuard } from './access/limits/limits.guard.js';
import { type Principal, clientIdentity } from './access/principal.js';
import { locationIn } from './changing/handle-location.js';
import { HANDLE_ROUTES } from './handle/api/handle-routes.js';
import { HANDLE_API_HEADERS } from './handle/api/handle-api-interface.js';
import { recordText } from './handle/api/handles/read.handler.js';
import { hostFieldsOf } from './http/headers/request-headers.js';
import type { Drain } from './http/server/drain.js';
import { atEndOfTurn } from './http/server/event-loop-turn.js';
import { requestIdOf } from './http/server/fastify-adapter.js';
import type { OpenHosts } from './http/server/open-access.js';
import type { RequestLog } from './http/server/request-log.js';
import type { Metrics } from './metrics/metrics.js';
import { redirectPage } from './record-page/index.js';
import type { IdentifierRecord } from './registry/identifier-record.js';
import type { NamingAuthority } from './registry/naming-authority.js';
import { type LatestAuthorities, addressIn } from './registry/naming-authority-snapshot.js';
import { type Entrance, RESOLVER_ROUTE } from './handle/resolver/entrance.js';
import { RESOLVER_HEADERS } from './handle/resolver/resolver-interface.js';
import { identifierLink } from './handle/resolver/identifier-links.js';
import { localNamesOf } from './handle/resolver/local-names.js';
import { HTML } from './handle/resolver/replies.js';
import type { ResolverHandler } from './handle/resolver/resolver.handler.js';
import type { RecordCache } from './storage/identifiers/cache/record-cache.js';

export interface DirectPathParts {
  readonly drain: Pick<Drain, 'stopping'>;
  readonly limits: Pick<LimitsGuard, 'takeRate'>;
  readonly metrics: Pick<Metrics, 'responded' | 'resolved' | 'handleApi'>;
  readonly logger: Pick<Logger, 'isLevelEnabled' | 'info'>;
  readonly requestLog: Pick<RequestLog, 'line'>;
  readonly reader: Principal;
  /** The hosts that open access permits; null with `ACCESS=keys`. */
  readonly hosts: Pick<OpenHosts, 'includes'> | null;
  readonly pressure: () => number;
  readonly trustedProxies: readonly string[];
  readonly records: Pick<RecordCache, 'held'>;
  /** Null if the resolver is off. */
  readonly redirects: (Pick<ResolverHandler, 'redirects' | 'settings'> & { readonly entrance: Entrance }) | null;
  /** Null if the Handle API is off. */
  readonly authorities: LatestAuthorities | null;
}

interface DirectResponse {
  /** The pattern of the route, for metrics. */
  readonly route: string;
  readonly status: number;
  /** Alternating names and values, without the request ID, `content-length` and the rate limit. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly count: () => void;
}

/**
 * Maximum length of a body in UTF-16 code units. Each has at most three bytes, so the body stays below `COUNTED_BYTES` of
 * `unread-responses.ts`. The framework sends longer bodies, because it limits the bytes that clients do not read.
 */
const MAX_BODY = 16_384;

const NAMES_LINKSET = /linkset/i;

/** The path of a Handle without escapes. In `/api/handles//x` the prefix is empty, so that the Handle does not belong to this service. */
const PLAIN_HANDLE = /^\/api\/handles\/[!$&-;=@A-Z_a-z~]+$/;

const HANDLE_START = HANDLE_ROUTES.handles.indexOf('{');

// Headers are lists here, because converting an object takes several microseconds.
const REDIRECT_HEADERS = Object.entries({ ...RESOLVER_HEADERS, 'content-type': HTML, vary: 'Accept' }).flat();

const VALUES_HEADERS = [
  ...Object.entries(HANDLE_API_HEADERS).flat(),
  ...['content-type', 'application/json;charset=utf-8', 'cache-control', 'no-cache'],
];

/**
 * Serves redirects and Handle reads of plain names with records in memory, before the framework. A request takes 29 µs of processor time
 * instead of 77 µs (decision 67). The responses of a turn of the event loop are written together. A write must wake a sleeping client or
 * proxy on the same machine, but writes that follow at once find it awake, which saves 20 µs of a redirect over 64 connections. Requests
 * that wait for the database would be slower by a tenth, because clients would send their next requests together.
 */
export class DirectPath {
  private parts: DirectPathParts | null = null;
  private addressOf: (request: IncomingMessage) => string | undefined = ({ socket }) => socket.remoteAddress;

  use(parts: DirectPathParts): void {
    this.parts = parts;
    if (parts.trustedProxies.length === 0) return;
    const isTrusted = proxyAddress.compile([...parts.trustedProxies]);
    this.addressOf = (request) => proxyAddress(request, isTrusted);
  }

  /** @returns whether the response was sent. */
  readonly take = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { parts } = this;
    if (parts === null || !isPlain(request) || !isServed(request, parts)) return false;
    const began = performance.now();
    const direct = responseOf(request, parts);
    if (direct === null || direct.body.length > MAX_BODY) return false;
    const address = this.addressOf(request);
    const limited = parts.limits.takeRate(clientIdentity(parts.reader, address));
    if (limited === null) return false;
    const id = requestIdOf(request);
    const { route, status, headers, body } = direct;
    const length = Buffer.byteLength(body);
    response.writeHead(status, ['x-request-id', id, 'content-length', String(length), ...headers, ...limited]);
    // ASCII is equal in both encodings, and is faster to write as Latin-1.
    atEndOfTurn(() => response.end(body, length === body.length ? 'latin1' : 'utf8'));
    direct.count();
    const milliseconds = performance.now() - began;
    const { method = '', url = '' } = request;
    parts.metrics.responded(method, route, status, milliseconds / 1000);
    if (!parts.logger.isLevelEnabled('info')) return true;
    const line = parts.requestLog.line({ raw: request, method, url, status, milliseconds, route, address });
    parts.logger.info({ reqId: id, ...line }, 'request');
    return true;
  };
}

/** Whether a request needs nothing that only the framework handles, such as a key, a body or a trace context. */
function isPlain(request: IncomingMessage): boolean {
  const { method, headers, httpVersion } = request;
  return (
    (method === 'GET' || method === 'HEAD') &&
    httpVersion === '1.1' &&
    hostFieldsOf(request) === 1 &&
    headers.authorization === undefined &&
    headers.traceparent === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined
  );
}

function isServed({ headers }: IncomingMessage, { drain, pressure, hosts }: DirectPathParts): boolean {
  return !drain.stopping.aborted && pressure() < 1 && (hosts?.includes(headers.host ?? '') ?? true);
}

function responseOf(request: IncomingMessage, parts: DirectPathParts): DirectResponse | null {
  try {
    return redirectOf(request, parts) ?? valuesOf(request, parts);
  } catch {
    // The framework meets the same error and reports it.
    return null;
  }
}

function redirectOf(
  request: IncomingMessage,
  { records, metrics, redirects: resolver }: DirectPathParts,
): DirectResponse | null {
  const { url = '', headers } = request;
  if (resolver === null || (headers.accept !== undefined && NAMES_LINKSET.test(headers.accept))) return null;
  const reading = resolver.entrance.plainName(url);
  if (reading === null) return null;
  const { authority } = reading;
  const record = heldOf(authority, localNamesOf(authority, reading).candidates, records);
  if (record?.state !== 'active' || record.target === null) return null;
  // A stored value can have another destination or another lifetime.
  if (record.handleValues !== null) return null;
  const { redirects, settings } = resolver;
  const link = identifierLink(record, authority.metadataIdScheme, settings.resolver);
  const location = ['location', record.target, 'expires', redirects.expires(), 'cache-control', redirects.cacheControl];
  return {
    route: RESOLVER_ROUTE,
    status: 302,
    headers: [...REDIRECT_HEADERS, ...location, ...(link === undefined ? [] : ['link', link])],
    body: redirectPage(record.target),
    count: () => {
      metrics.resolved('redirected');
    },
  };
}

function heldOf(
  authority: NamingAuthority,
  [localName, ...others]: readonly string[],
  records: DirectPathParts['records'],
): IdentifierRecord | null {
  if (localName === undefined || others.length > 0) return null;
  return records.held(addressIn(authority, localName)) ?? null;
}

function valuesOf({ url = '' }: IncomingMessage, parts: DirectPathParts): DirectResponse | null {
  const { records, metrics, authorities } = parts;
  if (authorities?.isCurrent !== true || authorities.latest === null || !PLAIN_HANDLE.test(url)) return null;
  const handle = url.slice(HANDLE_START);
  const location = locationIn(authorities.latest, handle);
  const record = location.kind === 'here' && location.address !== null ? records.held(location.address) : null;
  if (record?.state !== 'active') return null;
  return {
    route: HANDLE_ROUTES.handles,
    status: 200,
    headers: VALUES_HEADERS,
    body: `${recordText(handle, record)}\n`,
    count: () => {
      metrics.handleApi('shown');
    },
  };
}
