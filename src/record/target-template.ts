import type { NamingAuthority } from './naming-authority.js';

/** What stands for the local name in a template. */
const PLACEHOLDER = /\{(guid|localName)\}/g;

/** Whether a template says where the local name belongs. */
export function hasPlaceholder(template: string): boolean {
  return template.search(PLACEHOLDER) >= 0;
}

/** The target that a naming authority's template gives to a local name, percent-encoded as a path segment is; null without one. */
export function targetFrom(
  { targetTemplate }: Pick<NamingAuthority, 'targetTemplate'>,
  localName: string,
): string | null {
  return targetTemplate?.replace(PLACEHOLDER, encodeURIComponent(localName)) ?? null;
}
