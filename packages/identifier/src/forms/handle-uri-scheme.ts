/**
 * The Handle URI scheme (HUS-04 to HUS-14): hdl URIs in the profile `handle-scheme`.
 *
 * name form      = "hdl:"   u-handle [ "?" query ] [ "#" fragment ]               HUS-04
 * authority form = "hdl://" u-handle [ "?" query ] [ "#" fragment ]               HUS-10
 * server form    = "hdl://" server "/" u-handle [ "?" query ] [ "#" fragment ]    HUS-05
 * u-handle       = u-na-segment *( "." u-na-segment ) "/" u-local-name
 * u-na-segment   = 1*( unreserved without "." / sub-delims / pct-encoded )        HUS-11, HUS-13
 * u-local-name   = *( pchar / "/" )                                               HUS-12, R-11
 * server         = host [ ":" port ]                                             
 *
 * The text after `hdl://` is ambiguous; the caller selects its meaning. The writer leaves "/" raw and
 * escapes ":" and "@", which the parser also accepts raw. An escaped "." in the naming authority is a separator,
 * and an escaped "/" there is an error. Query and fragment are not part of the Handle.
 */
import { HUS_LOCAL_NAME, REG_NAME } from '../grammar/ascii.js';
import { readAuthority } from '../grammar/uri-authority.js';
import { readHandle } from './handle.js';
import { brand } from '../brand.js';
import type { CordraId, Handle, HdlForm, HdlUri } from '../types.js';
import { encode } from '../grammar/percent-encoding.js';
import type { Charset } from '../grammar/handle-characters.js';
import { joinRepairs, repair } from '../repairs.js';
import { bracketFault, readDecoded } from './segments.js';
import { describe, fail, ok, type Result } from '../syntax-error.js';
import {
  readFragment,
  readQuery,
  scanUri,
  schemeRepairs,
  spanEscaped,
  tailRepairs,
  type UriScan,
} from '../grammar/uri-syntax.js';

const ESCAPE_ADDED = /* @__PURE__ */ repair('ESCAPE_ADDED');

/** Parses the rest of a URI after the scheme hdl. */
export function parseHandleSchemeUri(
  input: string,
  hdlAuthority: 'naming-authority' | 'server',
  charset: Charset,
): Result<HdlUri> {
  const slashes = input.startsWith('//', 4);
  const start = slashes ? 6 : 4;
  const scan = scanUri(input, start);
  if (!scan.ok) return scan;
  if (!slashes || hdlAuthority === 'naming-authority') {
    return hdlUriOf(input, readUHandle(input, start, scan, charset), scan, slashes ? 'authority' : 'name');
  }
  const serverEnd = scan.slash < 0 ? scan.pathEnd : scan.slash;
  const server = readAuthority(input, start, serverEnd, null);
  if (!server.ok) return server;
  const read = readUHandle(input, Math.min(serverEnd + 1, scan.pathEnd), scan, charset);
  const found = read.ok ? ok(read.value, joinRepairs(read.repairs, server.repairs)) : read;
  return hdlUriOf(input, found, scan, 'server', server.value);
}

/** A Handle with the escapes of this scheme. */
export function formatUHandle(namingAuthority: string, localName: string): string {
  return `${encode(namingAuthority, REG_NAME)}/${encode(localName, HUS_LOCAL_NAME)}`;
}

/** Whether a text contains characters that PCHAR and PATH permit raw and REG_NAME and HUS_LOCAL_NAME do not. */
export function hasColonOrAt(text: string): boolean {
  return text.includes(':') || text.includes('@');
}

function readUHandle(input: string, start: number, scan: UriScan, charset: Charset): Result<Handle> {
  const { pathEnd } = scan;
  if (scan.bracket >= start) return bracketFault(input, scan.bracket);
  const slash = input.indexOf('/', start);
  if (slash < 0 || slash >= pathEnd) {
    return fail('MISSING_SEPARATOR', pathEnd, 'HUS-06', 'expected naming-authority "/" local-name');
  }
  const raw = spanEscaped(input, start, slash, REG_NAME);
  if (raw < slash) {
    const detail = `a naming authority can contain ${describe(input, raw)} only as an escape`;
    return fail('INVALID_CHARACTER', raw, 'HUS-11', detail);
  }
  const read = readDecoded(input, start, slash, scan, REG_NAME, HUS_LOCAL_NAME, (text, end) =>
    readHandle(text, 0, end, text.length, charset),
  );
  if (!read.ok || !hasColonOrAt(input.slice(slash, pathEnd))) return read;
  return ok(read.value, joinRepairs(read.repairs, ESCAPE_ADDED));
}

/** The URI of a name that was read, or its fault. @param scan null for a URI without query, fragment and escapes. */
export function hdlUriOf(
  input: string,
  read: Result<CordraId | Handle>,
  scan: UriScan | null,
  form: HdlForm,
  server: string | null = null,
): Result<HdlUri> {
  if (!read.ok) return read;
  const [query, fragment] = [readQuery(input, scan), readFragment(input, scan)];
  const uri = brand({ type: 'hdl-uri', name: read.value, form, server, query, fragment } as const);
  return ok(uri, joinRepairs(joinRepairs(read.repairs, schemeRepairs(input, 'hdl')), tailRepairs(input, scan)));
}
