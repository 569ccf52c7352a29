/**
 * hdl URIs as defined by CORDRA (URI-04 to URI-26), and the entry point of the Handle URI scheme.
 *
 * path form = "hdl:"   naming-authority "/" local-name [ "?" query ] [ "#" fragment ]
 * host form = "hdl://" naming-authority "/" local-name [ "?" query ] [ "#" fragment ]
 *
 * path form: each component is one segment, 1*pchar (URI-16, URI-19)
 * host form: naming-authority is a reg-name and, once decoded, not an IPv4address (URI-10, R-07, R-32);
 * local-name is one segment (URI-12, URI-13)
 *
 * Each component is decoded once as UTF-8 (URI-24); "/" in a component is `%2F`, and an escape is never a separator
 * . Dot segments are data. The profile `cordra` requires a CORDRA identifier, whose query and fragment are
 * those of the URI; `generic` permits any Handle, which has neither; `handle-scheme` is the grammar of
 * handle-uri-scheme.ts. Without a profile, a CORDRA identifier has the profile `cordra` and any other Handle `generic`.
 */
import { PCHAR, REG_NAME } from '../grammar/ascii.js';
import { formatCordraId, readPlainCordraId } from './cordra-id.js';
import { formatUHandle, hdlUriOf, parseHandleSchemeUri } from './handle-uri-scheme.js';
import { isIPv4Address } from '../grammar/ip-address.js';
import type { HdlUri } from '../types.js';
import { decode, encode } from '../grammar/percent-encoding.js';
import type { Charset } from '../grammar/handle-characters.js';
import { checkForm } from '../options.js';
import { type Profile, readSegments } from './segments.js';
import { describe, fail, type Failure, type Result, unwrap } from '../syntax-error.js';
import { formatTail, scanUri, schemeFault, spanEscaped, type UriScan } from '../grammar/uri-syntax.js';

export interface HdlUriOptions {
  readonly profile?: Profile | undefined;
  /** The meaning of the text after `hdl://` in the profile `handle-scheme`. Default `naming-authority`. */
  readonly hdlAuthority?: 'naming-authority' | 'server' | undefined;
  readonly charset?: Charset | undefined;
}

/** Parses an hdl URI (URI-04 to URI-26, HUS-04 to HUS-14). @throws TypeError for an unknown option. */
export function parseHdlUri(input: string, options: HdlUriOptions = {}): Result<HdlUri> {
  checkForm(options);
  const scheme = schemeFault(input, 'hdl', 'URI-05');
  if (scheme !== null) return scheme;
  if (options.profile === 'handle-scheme') {
    return parseHandleSchemeUri(input, options.hdlAuthority ?? 'naming-authority', options.charset ?? 'ucs2');
  }
  const host = input.startsWith('//', 4);
  const start = host ? 6 : 4;
  const plain = options.profile === 'generic' ? null : readPlainCordraId(input, start);
  if (plain !== null && !(host && isIPv4Address(plain.value.namingAuthority))) {
    return hdlUriOf(input, plain, null, host ? 'host' : 'path');
  }
  const scan = scanUri(input, start);
  if (!scan.ok) return scan;
  const shape = host ? hostFault(input, scan) : null;
  if (shape !== null) return shape;
  const named = readSegments(input, start, scan, {
    profile: options.profile,
    charset: options.charset ?? 'ucs2',
    authorityRaw: host ? REG_NAME : PCHAR,
  });
  return hdlUriOf(input, named, scan, host ? 'host' : 'path');
}

/** The canonical text of an hdl URI, in its own form. */
export function formatHdlUri(uri: HdlUri): string {
  const { name, form } = uri;
  const start =
    form === 'path' || form === 'name' ? 'hdl:' : form === 'server' ? `hdl://${uri.server ?? ''}/` : 'hdl://';
  if (name.type === 'cordra') return start + formatCordraId(name);
  const { namingAuthority, localName } = name;
  const handle =
    form === 'path' || form === 'host'
      ? `${encode(namingAuthority, form === 'host' ? REG_NAME : PCHAR)}/${encode(localName, PCHAR)}`
      : formatUHandle(namingAuthority, localName);
  return start + handle + formatTail(uri.query, uri.fragment);
}

/** Whether a value is an hdl URI; false for a value that is not a string. @throws TypeError for an unknown option. */
export const isHdlUri = (input: unknown, options?: HdlUriOptions): boolean =>
  typeof input === 'string' && parseHdlUri(input, options).ok;
/** The value of an hdl URI. @throws IdentifierSyntaxError, and a TypeError for an unknown option. */
export const toHdlUri = (input: string, options?: HdlUriOptions): HdlUri => unwrap(parseHdlUri(input, options));

function hostFault(input: string, scan: UriScan): Failure | null {
  const start = 6;
  const end = scan.slash < 0 ? scan.pathEnd : scan.slash;
  if (end === start) return fail('INVALID_AUTHORITY', start, 'URI-09', 'the naming authority before "/" is empty');
  const at = spanEscaped(input, start, end, REG_NAME);
  if (at < end) {
    const detail = `the host must be a naming authority without user or port; found ${describe(input, at)}`;
    return fail('INVALID_AUTHORITY', at, 'URI-10', detail);
  }
  const host = decode(input, start, end);
  if (typeof host === 'number' || !isIPv4Address(host)) return null;
  return fail(
    'INVALID_AUTHORITY',
    start,
    'R-07',
    `${host} is an IPv4 address, not a registered name; use hdl:${host}/...`,
  );
}
