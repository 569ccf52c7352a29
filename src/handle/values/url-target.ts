import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { type StoredValue, isShown } from '../../registry/stored-value.js';
import { isTarget } from '../../registry/target.js';
import { timeText } from './value-json.js';

/** Characters that are no part of a URI (RFC 3986), with a "%" that begins no escape. */
const NOT_IN_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu;

const LONE_SURROGATE = /\p{Cs}/gu;

export function isUrl({ type }: Pick<StoredValue, 'type'>): boolean {
  return type.toUpperCase() === 'URL';
}

/** Whether a value can be the target: a URL that everybody may read, because everybody is redirected to it. */
function isTargetValue(value: StoredValue): boolean {
  return isUrl(value) && isShown(value);
}

/**
 * The target that the data of a URL value is: percent-encoded (RFC 3986 2.1) where a character is not one of a URI.
 * @returns null for what is no http or https URL that can be a target, and for one that is too long.
 */
export function targetOfText(text: string): string | null {
  const uri = text
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(NOT_IN_URI, (character) => (character === '%' ? '%25' : encodeURIComponent(character)));
  return uri.length <= MAX_TARGET_LENGTH && isTarget(uri) ? uri : null;
}

/** The target of a record with stored values: the public URL value of the lowest index; undefined where there is none. */
export function targetIn(values: readonly StoredValue[]): string | null | undefined {
  const [url] = values.filter(isTargetValue).sort((one, other) => one.index - other.index);
  if (url === undefined) return undefined;
  const { format, value } = url.data;
  return format === 'string' && typeof value === 'string' ? targetOfText(value) : null;
}

/**
 * Stored values after a change of the target, which is the URL value of the lowest index: that value gets a new target, and is
 * removed for null, as are the following ones while one of them would be the target. Without a stored URL value, the value is
 * computed and nothing changes.
 */
export function withTarget(values: readonly StoredValue[], target: string | null, now: Date): readonly StoredValue[] {
  const current = targetIn(values);
  if (current === undefined || current === target) return values;
  const lowest = values.filter(isTargetValue).reduce((one, other) => (other.index < one.index ? other : one));
  if (target === null)
    return withTarget(
      values.filter((value) => value !== lowest),
      target,
      now,
    );
  const changed = { ...lowest, data: { format: 'string', value: target }, timestamp: timeText(now) };
  return values.map((value) => (value === lowest ? changed : value));
}
