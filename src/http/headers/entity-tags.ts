import { hash } from 'node:crypto';
import { Problem } from '../../problem/problem.js';

/** `If-Match` or `If-None-Match` (RFC 9110 13.1). */
export type EntityTags = '*' | readonly EntityTag[];

interface EntityTag {
  readonly isWeak: boolean;
  readonly opaque: string;
}

/**
 * A strong entity tag (RFC 9110 8.8.3): the version and a digest of the whole representation, because `describes`
 * changes with other records and `uris` with the configuration.
 */
export function entityTagOf(version: number, json: string): string {
  return `"${version}-${hash('sha256', json, 'base64url').slice(0, 16)}"`;
}

/** One piece of a list: what separates, or a tag (RFC 9110 8.8.3), which may hold a comma itself. */
const PIECE = /([\t ,]+)|(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/y;

export function readIfMatch(header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  const tags = parseEntityTags(header);
  if (tags !== null) return tags;
  const detail = 'expected "*" or entity tags in double quotes, separated by commas';
  throw new Problem('INVALID_PRECONDITION', `If-Match is malformed: ${detail}.`, {
    errors: [{ pointer: '#header/If-Match', detail }],
  });
}

/** Strong comparison (RFC 9110 8.8.3.2). */
export function matchesStrongly(tags: EntityTags, current: string): boolean {
  return tags === '*' || tags.some(({ isWeak, opaque }) => !isWeak && opaque === current);
}

/**
 * Whether `If-Match` permits a change of a record: one of its tags is the entity tag, or `"3"` for version 3. The version
 * alone is sufficient to prevent lost updates, because every change of a record increments it.
 */
export function matchesRecord(tags: EntityTags, version: number, current: string): boolean {
  return matchesStrongly(tags, current) || matchesStrongly(tags, `"${version}"`);
}

/** Weak comparison; a malformed header never matches. */
export function matchesWeakly(header: string | undefined, current: string): boolean {
  const tags = header === undefined ? null : parseEntityTags(header);
  return tags !== null && (tags === '*' || tags.some(({ opaque }) => opaque === current));
}

/** @returns null for a text that is neither `*` nor a list of tags. */
function parseEntityTags(text: string): EntityTags | null {
  if (text.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  let separated = true;
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    PIECE.lastIndex = at;
    const [piece, gap, weak, opaque] = PIECE.exec(text) ?? [];
    if (piece === undefined) return null;
    if (opaque === undefined) separated ||= gap?.includes(',') ?? false;
    else if (!separated) return null;
    else {
      tags.push({ isWeak: weak !== undefined, opaque });
      separated = false;
    }
  }
  return tags.length === 0 ? null : tags;
}
