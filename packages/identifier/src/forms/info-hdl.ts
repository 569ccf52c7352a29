/**
 * Handles in the info scheme (HUS-01, RFC 4452, the registry entry of `hdl`).
 *
 * info-hdl = "info:hdl/" naming-authority "/" local-name [ "#" fragment ]
 * naming-authority = 1*pchar      local-name = *( pchar / "/" )     raw "/" is canonical
 *
 * There is no query. In the profile `cordra` there is no fragment either: query and fragment of a CORDRA
 * identifier are escaped in the local name. The text after `info:hdl/`, decoded once, is the native text
 * of the name.
 */
import { PATH, PCHAR } from '../grammar/ascii.js';
import { formatLocalName, hasGuidLength, parseCordraId } from './cordra-id.js';
import { readHandle } from './handle.js';
import { brand } from '../brand.js';
import type { CordraId, Handle, InfoHdl } from '../types.js';
import { scanInfoUri } from '../grammar/info-scheme.js';
import { encode } from '../grammar/percent-encoding.js';
import type { Charset } from '../grammar/handle-characters.js';
import { checkForm } from '../options.js';
import { joinRepairs } from '../repairs.js';
import { bracketFault, type Profile, readDecoded } from './segments.js';
import { fail, type Failure, ok, type Result, unwrap } from '../syntax-error.js';
import { formatTail, readFragment, tailRepairs, type UriScan } from '../grammar/uri-syntax.js';

export interface InfoHdlOptions {
  /** Default: `cordra` for a CORDRA identifier, otherwise `generic`. */
  readonly profile?: Profile | undefined;
  readonly charset?: Charset | undefined;
}

/** Parses an info:hdl URI (HUS-01, RFC 4452). @throws TypeError for an unknown option. */
export function parseInfoHdl(input: string, options: InfoHdlOptions = {}): Result<InfoHdl> {
  checkForm(options);
  const info = scanInfoUri(input, 'hdl', 'HUS-01');
  if (!info.ok) return info;
  const { start, scan } = info.value;
  const shape = shapeFault(input, start, scan, options.profile);
  if (shape !== null) return shape;
  const cordra = scan.fragment < 0 ? options.profile : (options.profile ?? 'generic');
  const read = readDecoded(input, start, scan.slash, scan, PCHAR, PATH, (text, slash) =>
    readName(text, slash, cordra, options.charset ?? 'ucs2'),
  );
  if (!read.ok) return read;
  const repairs = joinRepairs(joinRepairs(info.repairs, read.repairs), tailRepairs(input, scan));
  return ok(brand({ type: 'info-hdl', name: read.value, fragment: readFragment(input, scan) }), repairs);
}

/** The canonical text of an info:hdl URI. */
export function formatInfoHdl({ name, fragment }: InfoHdl): string {
  return formatInfoName(name) + formatTail(null, fragment);
}

export function formatInfoName(name: CordraId | Handle): string {
  const localName = name.type === 'cordra' ? formatLocalName(name) : name.localName;
  return `info:hdl/${encode(name.namingAuthority, PCHAR)}/${encode(localName, PATH)}`;
}

/** Whether a value is an info:hdl URI; false for a value that is not a string. @throws TypeError for an unknown option. */
export const isInfoHdl = (input: unknown, options?: InfoHdlOptions): boolean =>
  typeof input === 'string' && parseInfoHdl(input, options).ok;
/** The value of an info:hdl URI. @throws IdentifierSyntaxError, and a TypeError for an unknown option. */
export const toInfoHdl = (input: string, options?: InfoHdlOptions): InfoHdl => unwrap(parseInfoHdl(input, options));

function shapeFault(input: string, start: number, scan: UriScan, profile: Profile | undefined): Failure | null {
  if (profile === 'cordra' && scan.fragment >= 0) {
    return fail(
      'INVALID_FRAGMENT',
      scan.fragment,
      'R-30',
      'the fragment of a CORDRA identifier must be written as %23 here',
    );
  }
  if (scan.query >= 0) {
    return fail(
      'UNEXPECTED_QUERY',
      scan.query,
      'R-19',
      'the info scheme has no query; write a "?" of the Handle as %3F',
    );
  }
  if (scan.bracket >= 0) return bracketFault(input, scan.bracket);
  if (scan.slash < 0) {
    return fail('MISSING_SEPARATOR', scan.pathEnd, 'HUS-06', 'expected "/" after the naming authority');
  }
  if (scan.slash > start) return null;
  return fail('INVALID_NAMING_AUTHORITY', start, 'HUS-07', 'the naming authority before "/" is empty');
}

function readName(
  text: string,
  slash: number,
  profile: Profile | undefined,
  charset: Charset,
): Result<CordraId | Handle> {
  const cordra = profile === undefined ? hasGuidLength(text, slash, text.length) : profile === 'cordra';
  // An escaped "/" in the naming authority would otherwise become the separator.
  const read = cordra && text.indexOf('/') === slash ? parseCordraId(text) : null;
  return read !== null && (read.ok || profile === 'cordra') ? read : readHandle(text, 0, slash, text.length, charset);
}
