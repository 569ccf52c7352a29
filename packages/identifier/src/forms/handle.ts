/**
 * Handles (HS, HUS-06 to HUS-09, RFC 3651 section 2).
 *
 * handle     = naming-authority "/" local-name     split at the first "/" (HS-01)
 * local-name = *<any printable character>          may be empty, may contain "/", "?", "#", "%" (HUS-09, R-11)
 *
 * The canonical form of a Handle is its own text, unchanged. The length is not limited.
 */
import { brand } from '../brand.js';
import type { Handle } from '../types.js';
import { handleAuthorityFault } from './naming-authority.js';
import { type Charset, charsetFault } from '../grammar/handle-characters.js';
import { checkCharset, checkTexts } from '../options.js';
import { NO_REPAIRS } from '../repairs.js';
import { fail, ok, type Result, unwrap } from '../syntax-error.js';

export interface HandleOptions {
  /** Default `ucs2`. */
  readonly charset?: Charset | undefined;
}

/** Parses a Handle in its native form (HS-01). @throws TypeError for an unknown charset. */
export function parseHandle(input: string, options: HandleOptions = {}): Result<Handle> {
  checkCharset(options);
  const { charset = 'ucs2' } = options;
  const slash = input.indexOf('/');
  if (slash < 0) {
    const characters = charsetFault(input, charset);
    return characters ?? fail('MISSING_SEPARATOR', input.length, 'HS-01', 'expected "/" after the naming authority');
  }
  return readHandle(input, 0, slash, input.length, charset);
}

/** Parses a Handle from `start` to `end` of a text without escapes, separated at `slash`. */
export function readHandle(text: string, start: number, slash: number, end: number, charset: Charset): Result<Handle> {
  const fault = charsetFault(text, charset, start, end) ?? handleAuthorityFault(text, start, slash);
  if (fault !== null) return fault;
  return ok(
    brand({ type: 'handle', namingAuthority: text.slice(start, slash), localName: text.slice(slash + 1, end) }),
    NO_REPAIRS,
  );
}

/** The native text of a Handle. */
export function formatHandle(handle: Handle): string {
  return `${handle.namingAuthority}/${handle.localName}`;
}

/** Whether a value is a Handle; false for a value that is not a string. @throws TypeError for an unknown charset. */
export const isHandle = (input: unknown, options?: HandleOptions): boolean =>
  typeof input === 'string' && parseHandle(input, options).ok;
/**
 * The Handle of a text, or of its parts. The offset of a fault in parts refers to the text that they form.
 * @throws IdentifierSyntaxError, and a TypeError for a part that is not a string, or an unknown charset.
 */
export function toHandle(
  input: string | Pick<Handle, 'namingAuthority' | 'localName'>,
  options: HandleOptions = {},
): Handle {
  if (typeof input === 'string') return unwrap(parseHandle(input, options));
  const { namingAuthority, localName } = input;
  checkTexts({ namingAuthority, localName });
  checkCharset(options);
  const text = `${namingAuthority}/${localName}`;
  return unwrap(readHandle(text, 0, namingAuthority.length, text.length, options.charset ?? 'ucs2'));
}
