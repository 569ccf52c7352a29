import { Problem } from '../problem/problem.js';
import { MAX_TARGET_LENGTH } from './identifier-record.js';
import type { NamingAuthority } from './naming-authority.js';
import { isTarget } from './target.js';

/** What stands for the local name in a template. */
const PLACEHOLDER = /\{(guid|localName)\}/g;

/** A template whose host depends on the local name, which may be any text. */
const IN_HOST = /^[^/]*\/\/[^/?#]*\{/;

/** Segments of a URL that lead upwards, which no escape changes (WHATWG URL 4.4). */
const DOTS = /^\.\.?$/;
const WITH_DOTS = /\/\.\.?(?:[/?#]|$)/;

/** A local name as long as a minted one. */
const SAMPLE = 'F'.repeat(32);

/**
 * Checks the template of a naming authority.
 * @throws Problem INVALID_REQUEST when what it is filled to would be no target.
 */
export function requireTemplate(template: string, pointer: string): void {
  const filled = template.replace(PLACEHOLDER, SAMPLE);
  if (filled === template) throw invalid('holds neither {guid} nor {localName}', pointer);
  if (IN_HOST.test(template)) throw invalid('{guid} and {localName} belong behind the host', pointer);
  if (!isTarget(filled) || filled.length > MAX_TARGET_LENGTH) {
    const detail = `filled, it must be an http or https URL without user and password, at most ${MAX_TARGET_LENGTH} characters, everything but URI characters percent-encoded`;
    throw invalid(detail, pointer);
  }
}

/**
 * The target that a naming authority's template gives to a local name, percent-encoded as a path segment is; null without
 * a template.
 * @throws Problem INVALID_REQUEST when the local name would make the target too long, or lead upwards in it.
 */
export function targetFrom(
  { targetTemplate }: Pick<NamingAuthority, 'targetTemplate'>,
  localName: string,
): string | null {
  const target = targetTemplate?.replace(PLACEHOLDER, encodeURIComponent(localName)) ?? null;
  if (target === null) return null;
  if (DOTS.test(localName) && WITH_DOTS.test(target)) {
    throw invalid(`the naming authority's template leads elsewhere with it: send a target`, '/localName');
  }
  if (target.length <= MAX_TARGET_LENGTH) return target;
  const detail = `the naming authority's template makes a target of ${target.length} characters of it, and at most ${MAX_TARGET_LENGTH} are kept: send a target`;
  throw invalid(detail, '/localName');
}

function invalid(detail: string, pointer: string): Problem {
  return new Problem('INVALID_REQUEST', detail, { errors: [{ pointer, detail }] });
}
