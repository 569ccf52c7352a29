import { type Content, type Markup, markup } from './markup.js';
import { shownName } from './visible-text.js';

/** The URL of a link, or null. Only http and https are permitted, so that no link runs a script. */
export function linkable(url: string | null): string | null {
  if (url === null || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  return url;
}

/** A link if the URL permits one; otherwise the text. @param language the language of the page at the URL; null if unknown. */
export function linkTo(url: string | null, text: string, language: string | null = null): Content {
  const href = linkable(url);
  if (href === null) return shownName(text);
  const spoken = language === null ? null : markup` hreflang="${language}"`;
  return markup`<a href="${href}" rel="noreferrer"${spoken}>${shownName(text)}</a>`;
}

/** A name, and the path of its page at this service. */
export interface NameLink {
  readonly name: string;
  readonly url: string;
}

export function nameLink({ name, url }: NameLink): Markup {
  return markup`<a href="${url}">${shownName(name)}</a>`;
}
