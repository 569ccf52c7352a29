import { type Content, type Markup, markup } from './markup.js';

/**
 * Characters without a shape of their own: controls, format characters such as direction controls and joiners (Cf), line and paragraph
 * separators, lone surrogates, noncharacters of the BMP, Hangul fillers, and spaces other than U+0020. Names that differ only by such
 * characters look alike, so pages show their code points.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{FDD0}-\u{FDEF}\u{FFFE}\u{FFFF}\u{3164}\u{115F}\u{1160}\u{FFA0}]|(?! )\p{Zs}/gu;

/** Text that needs no isolation on a left-to-right page: it has neither hidden characters nor letters written from right to left. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Replaces hidden characters with code points such as `[U+202E]`, for titles and attributes, which cannot contain elements. */
export function plainText(text: string): string {
  return text.replace(HIDDEN, (character) => `[${codePoint(character)}]`);
}

/** Replaces hidden characters with marked code points. */
export function shownText(text: string): readonly Content[] {
  const contents: Content[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    contents.push(text.slice(from, index), markup`<span class="hidden-character">${codePoint(character)}</span>`);
    from = index + character.length;
  }
  contents.push(text.slice(from));
  return contents;
}

/** A name as HTML. A name beyond ASCII is isolated and left-to-right, so that its prefix is on the left even with Arabic letters. */
export function shownName(name: string): Content {
  return PRINTABLE_ASCII.test(name) ? name : markup`<bdi dir="ltr">${shownText(name)}</bdi>`;
}

/** A user's text as HTML, in a `bdi` element, so that its writing direction does not affect the text around it. */
export function shownSentence(text: string): Markup {
  return markup`<bdi>${shownText(text)}</bdi>`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The URL itself if it is a valid http or https URL; null for any other text, so that no link runs a script. */
export function linkable(url: string | null): string | null {
  if (url === null || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  return url;
}

/** The text, which is a link if the URL is `linkable`. @param language the language of the page at the URL; null if unknown. */
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
