/**
 * Recognition: parses a text of unknown kind, as a user pasted it.
 *
 * white space around a text   trimmed
 * <...>  with a scheme        without the brackets
 * hdl: info: http: https:     by the scheme, in any case
 * doi: urn:
 * hdl.handle.net/...          the host of a known resolver: completed to a URL
 * {...}  32 hex digits        UUID
 * with "/"                    CORDRA identifier, else Handle; no white space or scheme before the "/"
 * with ":" or %3A, no "/"     Fedora PID
 *
 * Under a naming authority that is known to have GUIDs only, any other Handle is rejected (CID-10), and a GUID may have the
 * hyphens of a UUID.
 *
 * `%2F` is never the separator of a Handle in native form. A failure has the most similar kind and the offset of
 * the fault.
 */
import { isDigit } from './grammar/ascii.js';
import { parseCordraId } from './forms/cordra-id.js';
import { formatHandle } from './forms/handle.js';
import { DIGITS_AND_DOTS, schemeForHost } from './known-resolvers.js';
import { type Kind, type Recognition } from './parse-as.js';
import {
  moved,
  readClosest,
  readNative,
  recognizeDoi,
  recognizeHdl,
  recognizeHttp,
  recognizeInfo,
  recognizeUrn,
  type RecognizeOptions,
} from './recognize-uri.js';
import { checkOptions } from './options.js';
import { joinRepairs, repair } from './repairs.js';
import { excerpt, fail, failAt, ok, type SyntaxCode } from './syntax-error.js';
import { schemeLength } from './grammar/uri-syntax.js';

const WHITESPACE_TRIMMED = /* @__PURE__ */ repair('WHITESPACE_TRIMMED');
const BRACKETS_REMOVED = /* @__PURE__ */ repair('BRACKETS_REMOVED');
const SCHEME_ADDED = /* @__PURE__ */ repair('SCHEME_ADDED');
const HYPHENS_REMOVED = /* @__PURE__ */ repair('HYPHENS_REMOVED');

export type { KnownNamingAuthority, RecognizeOptions } from './recognize-uri.js';

/** Parses a text of any kind. No exception is thrown for a malformed text. @throws TypeError for an unknown option. */
export function recognize(input: string, options: RecognizeOptions = {}): Recognition {
  checkOptions(options);
  const text = input.trim();
  if (text.length < input.length) {
    return moved(recognize(text, options), input.length - input.trimStart().length, WHITESPACE_TRIMMED);
  }
  if (isInBrackets(text)) return moved(recognize(text.slice(1, -1), options), 1, BRACKETS_REMOVED);
  return asKnown(text, recognizeTrimmed(text, options), options);
}

function isInBrackets(text: string): boolean {
  return text.startsWith('<') && text.endsWith('>') && schemeLength(text.slice(1).trimStart()) > 0;
}

/** A text so similar to a UUID that its fault as a UUID is reported. */
const LIKE_UUID = /^[0-9a-f-]{24,48}$/i;

/** A GUID with the hyphens of a UUID (UUID-01), at the place of a local name. */
const HYPHENATED = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=$|[?#]|%3f|%23)/i;

/** Replaces a Handle whose naming authority has only GUIDs with the identifier that is meant, or with the fault (CID-10). */
function asKnown(text: string, read: Recognition, options: RecognizeOptions): Recognition {
  if (!read.ok || read.value.name.type !== 'handle') return read;
  const { kind, name } = read.value;
  if (options.namingAuthorityOf?.(name.namingAuthority)?.profile !== 'cordra') return read;
  const plain = text.replace(HYPHENATED, (found) => found.replaceAll('-', ''));
  const again = plain === text ? read : recognizeTrimmed(plain, options);
  if (again.ok && again.value.name.type === 'cordra')
    return ok(again.value, joinRepairs(again.repairs, HYPHENS_REMOVED));
  const native = formatHandle(name);
  const strict = parseCordraId(native);
  if (strict.ok) return read;
  // The offset of the fault refers to the native text. If the input has another notation, the offset is 0.
  const start = text.indexOf(native);
  return { ...failAt(strict, start < 0 ? 0 : start + strict.fault.offset), kind: kind === 'handle' ? 'cordra' : kind };
}

function recognizeTrimmed(text: string, options: RecognizeOptions): Recognition {
  const length = schemeLength(text);
  switch (length > 5 ? '' : text.slice(0, length).toLowerCase()) {
    case 'hdl':
      return recognizeHdl(text, options);
    case 'info':
      return recognizeInfo(text, options);
    case 'http':
      return recognizeHttp(text, 'http', options);
    case 'https':
      return recognizeHttp(text, 'https', options);
    case 'doi':
      return recognizeDoi(text, options);
    case 'urn':
      return recognizeUrn(text);
    default:
      return recognizeBare(text, length, options);
  }
}

function recognizeBare(text: string, scheme: number, options: RecognizeOptions): Recognition {
  const urlScheme = schemeForHost(text, options);
  if (urlScheme !== null) {
    const url = recognizeHttp(`${urlScheme}://${text}`, urlScheme, options);
    return moved(url, -urlScheme.length - 3, SCHEME_ADDED);
  }
  const slash = text.indexOf('/');
  if (slash < 0) return recognizeWithoutSlash(text);
  if (scheme > 0) return rejectUnknownScheme(text, scheme);
  const read = readNative(text, options);
  // A URL in other text, such as "(https://...", would have a naming authority that ends in ":". A DOI starts with a digit.
  const isUrl = read.ok && text.startsWith('://', slash - 1) && !isDigit(text.charCodeAt(0));
  return isUrl ? rejectUnknownScheme(text, slash - 1) : read;
}

function recognizeWithoutSlash(text: string): Recognition {
  if (text.startsWith('{') || LIKE_UUID.test(text)) return readClosest(text, 'uuid', {});
  if (/:|%3a/i.test(text)) return readClosest(text, 'fedora-pid', {});
  const end = text.length;
  const digits = end > 0 && isDigit(text.charCodeAt(0));
  if (digits && DIGITS_AND_DOTS.test(text)) {
    return rejected(
      'cordra',
      'MISSING_SEPARATOR',
      end,
      'found a naming authority alone; expected "/" and 32 hexadecimal digits',
    );
  }
  if (digits || /%2f/i.test(text)) {
    return rejected(
      'handle',
      'MISSING_SEPARATOR',
      end,
      'expected naming-authority "/" local-name; %2F is not a separator',
    );
  }
  const found = text === '' ? 'the text is empty' : `"${excerpt(text)}" is not an identifier`;
  return rejected(
    null,
    'NOT_RECOGNIZED',
    0,
    `${found}; expected an identifier, for example NA/GUID, hdl:NA/local or demo:1`,
  );
}

/** The failure of a text with an unknown scheme, or of a PID followed by other text. */
function rejectUnknownScheme(text: string, scheme: number): Recognition {
  if (!text.startsWith('//', scheme + 1)) return readClosest(text, 'fedora-pid', {});
  const detail = `"${excerpt(text.slice(0, scheme))}" is not a scheme for Handles; expected http, https, hdl or info`;
  return rejected('http-uri', 'WRONG_SCHEME', 0, detail);
}

function rejected(kind: Kind | null, code: SyntaxCode, offset: number, detail: string): Recognition {
  return { ...fail(code, offset, 'R-28', detail), kind };
}
