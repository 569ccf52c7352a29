import { page } from './layout.js';
import { markup } from './markup.js';
import { type NameLink, nameLink, shownName, shownSentence } from './visible-text.js';

/** Maximum length of a name on a page, in UTF-16 code units. In a path, a name may have 48 KiB. */
const MAX_SHOWN_LENGTH = 1024;

/**
 * The page for an unregistered name (404). Clients of the Handle proxy search the page for the sentence "The handle you requested -- …".
 * Therefore, names of printable ASCII characters have no element around them.
 */
export function unknownNamePage(name: string, hints: readonly string[], nearest: NameLink | null = null): string {
  const shown = shortened(name);
  return page({
    title: `${shown} cannot be found · Mintmark`,
    isIndexed: false,
    main: markup`<h1>This identifier is not registered</h1>
<p class="state gone">The handle you requested -- ${shownName(shown)} -- cannot be found.</p>
${nearest === null ? null : markup`<p>Is this name meant? ${nameLink(nearest)}</p>\n`}${hints.length === 0 ? null : markup`<h2>What to check</h2>\n<ul>${hints.map((hint) => markup`<li>${hint}</li>\n`)}</ul>`}`,
  });
}

/** The page for a text that several names match equally well (300; at the resolver 400). */
export function choicePage(text: string, names: readonly NameLink[]): string {
  return page({
    title: 'Several identifiers match · Mintmark',
    isIndexed: false,
    main: markup`<h1>Several identifiers match</h1>
<p>The request asks for: <code>${shownName(shortened(text))}</code></p>
<ul>${names.map((each) => markup`<li>${nameLink(each)}</li>\n`)}</ul>`,
  });
}

/** The page for a malformed or too long name (400, 414). @param reason a sentence. */
export function badRequestPage(name: string, reason: string): string {
  return page({
    title: 'This is not an identifier · Mintmark',
    isIndexed: false,
    main: markup`<h1>This is not an identifier</h1>
<p>The request asks for: <code>${shownName(shortened(name))}</code></p>
<p class="state gone">${shownSentence(reason)}</p>`,
  });
}

function shortened(name: string): string {
  return name.length <= MAX_SHOWN_LENGTH ? name : `${name.slice(0, MAX_SHOWN_LENGTH)}…`;
}

/** What to check if a name is not found, each with the pattern of the names to which it applies. The most likely cause comes first. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/[/]$/, 'The name ends with a slash. Remove it if it does not belong to the name.'],
  [
    /[.,;:)\]>"'”’]$/,
    'The name ends with a punctuation mark. Remove it if it belongs to the sentence around the name.',
  ],
  [/\s/, 'The name contains white space. A line break may have been copied with it.'],
  [
    /[\u0080-\uffff]/,
    'The name contains characters outside ASCII. Some of them look like ASCII characters, such as a dash.',
  ],
  [/^/, 'Compare every character with the source of the name: the digit 0 and the letter O, 1 and l look alike.'],
  [/^/, 'The name may not be registered yet. Ask the publisher of the page that you come from.'],
];

export function hintsFor(name: string): string[] {
  return HINTS.flatMap(([pattern, hint]) => (pattern.test(name) ? [hint] : []));
}
