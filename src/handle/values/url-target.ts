import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { type StoredValue, isShown } from '../../registry/stored-value.js';
import { isTarget } from '../../registry/target.js';
import { textOf, timeText } from './value-json.js';

/** Characters that are not permitted in a URI (RFC 3986), and a "%" that does not begin an escape. */
const NOT_IN_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu;

const LONE_SURROGATE = /\p{Cs}/gu;

export function isUrl({ type }: Pick<StoredValue, 'type'>): boolean {
  return type.toUpperCase() === 'URL';
}

export function isPublicUrl(value: StoredValue): boolean {
  return isUrl(value) && isShown(value);
}

/** The public URL value with the lowest index, which contains the target. It must be public, because redirects reveal the target. */
function targetValueIn(values: readonly StoredValue[]): StoredValue | undefined {
  const [lowest] = values.filter(isPublicUrl).sort((one, other) => one.index - other.index);
  return lowest;
}

/** The text of a URL value as a target, percent-encoded where a URI requires it (RFC 3986 2.1); null if it cannot be a target. */
export function targetOfText(text: string): string | null {
  const uri = text
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(NOT_IN_URI, (character) => (character === '%' ? '%25' : encodeURIComponent(character)));
  return uri.length <= MAX_TARGET_LENGTH && isTarget(uri) ? uri : null;
}

/** The data of the public URL value with the lowest index as a target: null if invalid, undefined without such a value. */
export function targetIn(values: readonly StoredValue[]): string | null | undefined {
  const url = targetValueIn(values);
  if (url === undefined) return undefined;
  const text = textOf(url);
  return text === null ? null : targetOfText(text);
}

/**
 * Stored values after a change of the target. For null, the public URL value with the lowest index is removed, and each further URL
 * value whose data would then be the target.
 */
export function withTarget(values: readonly StoredValue[], target: string | null, now: Date): readonly StoredValue[] {
  const url = targetValueIn(values);
  if (url === undefined || targetIn(values) === target) return values;
  const others = values.filter((value) => value !== url);
  if (target === null) return withTarget(others, target, now);
  const changed = { ...url, data: { format: 'string', value: target }, timestamp: timeText(now) };
  return values.map((value) => (value === url ? changed : value));
}
