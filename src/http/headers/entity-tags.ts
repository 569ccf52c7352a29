import { hash } from 'node:crypto';
import { Problem } from '../../problem/problem.js';

/** Entity tags of `If-Match` or `If-None-Match` (RFC 9110 13.1): any representation, or one of these. */
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

/** Whether one of the tags is the strong one of the representation, by strong comparison (RFC 9110 8.8.3.2). */
export function matchesStrongly(tags: EntityTags, current: string): boolean {
  return tags === '*' || tags.some(({ isWeak, opaque }) => !isWeak && opaque === current);
}

/** Whether `If-None-Match` matches the representation, by weak comparison; a malformed one never does. */
export function matchesWeakly(header: string | undefined, current: string): boolean {
  const tags = header === undefined ? null : parseEntityTags(header);
  return tags !== null && (tags === '*' || tags.some(({ opaque }) => opaque === current));
}

/** @returns null when the text is not `*` and no list with at least one tag. */
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
