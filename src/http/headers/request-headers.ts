import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A host and port that a response may repeat. Other values of `Host`, which the client chooses, are not repeated. */
const PLAIN_HOST = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/** Scheme and authority by which the client reaches the service, without a final "/"; null for an unusual `Host`. */
export function ownOrigin({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string | null {
  return PLAIN_HOST.test(host) ? `${protocol}://${host}` : null;
}

/** An IPv4 address with a port, or an address in brackets, with or without a port. */
const WITH_PORT = /^([0-9.]+):[0-9]+$|^\[([^\]]*)\](?::[0-9]+)?$/;

/**
 * Removes ports and brackets that some proxies write in X-Forwarded-For. With them, each connection would count as another client, and a
 * proxy listed with a port would not be trusted.
 */
export function cutForwardedPorts(headers: IncomingHttpHeaders): void {
  const { 'x-forwarded-for': forwarded } = headers;
  if (typeof forwarded !== 'string' || !forwarded.includes(':')) return;
  headers['x-forwarded-for'] = forwarded
    .split(',')
    .map((each) => each.trim().replace(WITH_PORT, '$1$2'))
    .join(', ');
}

/** Counts the Host fields of a request in `rawHeaders`, because `headers` has only the first. */
export function hostFieldsOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/**
 * How a request breaks a rule that Node.js does not check: it must have one Host field (RFC 9112 3.2), and a body in a coding of this
 * service (RFC 9112 6.1). With another coding, a proxy could see another end of the body. @returns null if it breaks no rule.
 */
export function faultOfHead(request: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion'>): string | null {
  const { headers, httpVersion } = request;
  const hosts = hostFieldsOf(request);
  if (hosts !== 1 && (hosts !== 0 || httpVersion !== '1.0'))
    return 'An HTTP/1.1 request must have one Host header (RFC 9112 3.2).';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  if (httpVersion !== '1.1') return 'Only an HTTP/1.1 request can have the header Transfer-Encoding (RFC 9112 6.1).';
  return coding.trim().toLowerCase() === 'chunked' ? null : 'Transfer-Encoding must be "chunked" (RFC 9112 6.1).';
}

/** The trace and parent span of the caller (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
}

/** version "-" trace-id "-" parent-id "-" trace-flags; later versions may append more. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Returns null for an invalid header, which is ignored (W3C Trace Context 3.2.2 and 4.3). */
export function readTraceParent(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', parentId = '', more] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return null;
  return { traceId, parentId };
}
