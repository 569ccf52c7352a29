/**
 * The URI authority of a resolver or of a Handle server (RFC 3986 3.2; URI-30, URI-36, R-33).
 *
 * authority = host [ ":" port ]        no userinfo
 * host      = IP-literal / IPv4address / reg-name, not empty
 * reg-name  = 1*( unreserved / pct-encoded / sub-delims )
 * port      = *DIGIT
 *
 * Normal form: the host in lower case with unnecessary escapes decoded, without an empty port and without the default
 * port of http or https. A host with a trailing dot is a different host.
 */
import { isDigit, REG_NAME, UNRESERVED } from './ascii.js';
import { isIPLiteral } from './ip-address.js';
import { escapeRepairs, normalizeEscapes } from './percent-encoding.js';
import { joinRepairs, repair } from '../repairs.js';
import { describe, fail, type Failure, ok, type Result } from '../syntax-error.js';
import { spanEscaped } from './uri-syntax.js';

const HOST_LOWERCASED = /* @__PURE__ */ repair('HOST_LOWERCASED');
const DEFAULT_PORT_DROPPED = /* @__PURE__ */ repair('DEFAULT_PORT_DROPPED');

/** Parses `input` from `start` to `end` as host[:port]; the value is its normal form. */
export function readAuthority(input: string, start: number, end: number, defaultPort: string | null): Result<string> {
  const hostEnd =
    input.charCodeAt(start) === 0x5b ? literalEnd(input, start, end) : spanEscaped(input, start, end, REG_NAME);
  if (hostEnd === start)
    return invalid(start, `expected a host, found ${start === end ? 'nothing' : describe(input, start)}`);
  const portEnd = input.charCodeAt(hostEnd) === 0x3a && hostEnd < end ? digitsEnd(input, hostEnd + 1, end) : hostEnd;
  if (portEnd !== end) return invalid(portEnd, `expected host[:port] alone, found ${describe(input, portEnd)}`);
  const decoded = normalizeEscapes(input, start, hostEnd);
  const host = lowerHost(decoded);
  const port = input.slice(hostEnd + 1, end);
  const dropped = hostEnd < end && (port === '' || port === defaultPort);
  let repairs = escapeRepairs(input, start, hostEnd, UNRESERVED);
  if (host !== decoded) repairs = joinRepairs(repairs, HOST_LOWERCASED);
  if (dropped) repairs = joinRepairs(repairs, DEFAULT_PORT_DROPPED);
  return ok(hostEnd === end || dropped ? host : `${host}:${port}`, repairs);
}

/** The index of the "@" after the userinfo from `start` to `end`; -1 without userinfo. */
export function userinfoEnd(input: string, start: number, end: number): number {
  const at = input.indexOf('@', start);
  return at < end ? at : -1;
}

function literalEnd(input: string, start: number, end: number): number {
  const close = input.indexOf(']', start);
  return close >= 0 && close < end && isIPLiteral(input.slice(start, close + 1)) ? close + 1 : start;
}

function digitsEnd(input: string, start: number, end: number): number {
  let i = start;
  while (i < end && isDigit(input.charCodeAt(i))) i++;
  return i;
}

/** The host with letters in lower case, except the letters of escapes. */
function lowerHost(host: string): string {
  return host.toLowerCase().replace(/%../g, (escape) => escape.toUpperCase());
}

function invalid(offset: number, detail: string): Failure {
  return fail('INVALID_AUTHORITY', offset, 'URI-36', detail);
}
