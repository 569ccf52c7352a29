import { invalidRequest, invalidValue } from '../problem/problem.js';
import { MAX_TARGET_LENGTH } from './identifier-record.js';
import type { NamingAuthority } from './naming-authority.js';
import { isTarget } from './target.js';

const PLACEHOLDER = /\{(guid|localName)\}/g;

/** A template with a placeholder in its host. */
const IN_HOST = /^[^/]*\/\/[^/?#]*\{/;

/** Dot segments, which have the same meaning when escaped (WHATWG URL 4.4). */
const DOTS = /^\.\.?$/;
const WITH_DOTS = /\/\.\.?(?:[/?#]|$)/;

const SAMPLE = 'F'.repeat(32);

/** @throws Problem INVALID_REQUEST if the result of the template would not be a valid target. */
export function requireTemplate(template: string, pointer: string): void {
  const filled = template.replace(PLACEHOLDER, SAMPLE);
  if (filled === template) throw invalidValue(pointer, 'must contain {guid} or {localName}');
  if (IN_HOST.test(template)) throw invalidValue(pointer, '{guid} and {localName} are permitted only after the host');
  if (!isTarget(filled) || filled.length > MAX_TARGET_LENGTH) {
    const detail = `must result in an http or https URL without user and password, of at most ${MAX_TARGET_LENGTH} characters; characters that a URI does not allow must be percent-encoded`;
    throw invalidValue(pointer, detail);
  }
}

/**
 * Inserts the percent-encoded local name into the template; null without a template.
 * @throws Problem INVALID_REQUEST if the target would be too long, or the local name is a dot segment.
 */
export function targetFrom(
  { targetTemplate }: Pick<NamingAuthority, 'targetTemplate'>,
  localName: string,
): string | null {
  const target = targetTemplate?.replace(PLACEHOLDER, encodeURIComponent(localName)) ?? null;
  if (target === null) return null;
  if (DOTS.test(localName) && WITH_DOTS.test(target)) {
    throw invalidRequest(
      '/localName',
      `the target template cannot be used with this local name ("." or ".."); send \`target\` explicitly`,
    );
  }
  if (target.length <= MAX_TARGET_LENGTH) return target;
  const detail = `the target template results in a target of ${target.length} characters; at most ${MAX_TARGET_LENGTH} are allowed; send \`target\` explicitly`;
  throw invalidRequest('/localName', detail);
}
