import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { type StoredValue, isShown } from '../../registry/stored-value.js';
import { isTarget } from '../../registry/target.js';
import { textOf, timeText } from './value-json.js';

/** Characters that a URI does not contain (RFC 3986), and a "%" that does not begin an escape. */
const NOT_IN_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu;

const LONE_SURROGATE = /\p{Cs}/gu;

export function isUrl({ type }: Pick<StoredValue, 'type'>): boolean {
  return type.toUpperCase() === 'URL';
}

/** The value that is the target: the public URL value of the lowest index, because redirects reveal the target. */
function targetValueIn(values: readonly StoredValue[]): StoredValue | undefined {
  const [lowest] = values
    .filter((value) => isUrl(value) && isShown(value))
    .sort((one, other) => one.index - other.index);
  return lowest;
}

/**
 * The target in the data of a URL value, percent-encoded (RFC 3986 2.1) where a character is not allowed in a URI.
 * @returns null for a text that is not an http or https URL, or is too long.
 */
export function targetOfText(text: string): string | null {
  const uri = text
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(NOT_IN_URI, (character) => (character === '%' ? '%25' : encodeURIComponent(character)));
  return uri.length <= MAX_TARGET_LENGTH && isTarget(uri) ? uri : null;
}

/**
 * The target of a record with stored values: the public URL value of the lowest index. Null if that value is not a valid target; undefined
 * if there is no such value.
 */
export function targetIn(values: readonly StoredValue[]): string | null | undefined {
  const url = targetValueIn(values);
  if (url === undefined) return undefined;
  const text = textOf(url);
  return text === null ? null : targetOfText(text);
}

/**
 * Stored values after a change of the target, which is the URL value of the lowest index. For null, that value is removed, and
 * so are all other URL values that would become the target. Without a stored URL value nothing changes, because the value is computed.
 */
export function withTarget(values: readonly StoredValue[], target: string | null, now: Date): readonly StoredValue[] {
  const url = targetValueIn(values);
  if (url === undefined || targetIn(values) === target) return values;
  const others = values.filter((value) => value !== url);
  if (target === null) return withTarget(others, target, now);
  const changed = { ...url, data: { format: 'string', value: target }, timestamp: timeText(now) };
  return values.map((value) => (value === url ? changed : value));
}
