import { type Content, type Markup, markup, trusted } from './markup.js';
import { SCRIPT } from './script.js';
import { STYLE, SHORT_STYLE } from './style.js';
import { plainText } from './visible-text.js';
import { hash } from 'node:crypto';

export interface Layout {
  /** Plain text; hidden characters are shown as code points. */
  readonly title: string;
  readonly isIndexed: boolean;
  /** The URL of this page for search engines (RFC 6596), if any. */
  readonly canonicalUrl?: string | null;
  readonly main: Content;
}

const STYLE_ELEMENT = trusted(`<style>${STYLE}</style>`);
const SCRIPT_ELEMENT = trusted(`<script>${SCRIPT}</script>`);

/**
 * A complete page without lone surrogates, because UTF-8 cannot express them. The page sends no referrer to other origins. Its policy
 * "same-origin" replaces the "no-referrer" of the REST API, under which its form would send the origin "null".
 */
export function page({ title, isIndexed, canonicalUrl = null, main }: Layout): string {
  const robots = isIndexed ? null : markup`<meta name="robots" content="noindex">\n`;
  const canonical = canonicalUrl === null ? null : markup`<link rel="canonical" href="${canonicalUrl}">\n`;
  return markup`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
${robots}${canonical}<title>${plainText(title)}</title>
${STYLE_ELEMENT}
</head>
<body>
<main>
${main}
<p id="copied" role="status" class="kind"></p>
</main>
<footer><p>Mintmark, a service for persistent identifiers</p></footer>
${SCRIPT_ELEMENT}
</body>
</html>
`.text;
}

/** A button that copies a text, hidden until the script enables it. @param what describes the text for screen readers. */
export function copyButton(text: string, what: string): Markup {
  const words = markup`<span>Copy</span><span class="unseen"> ${what}</span>`;
  return markup` <button type="button" hidden data-copy="${text}">${words}</button>`;
}

export type Row = readonly [header: string, content: Content];

/** A table of attributes. The first cell of a row is the header of the second cell. */
export function factTable(caption: string, columns: readonly [string, string], rows: readonly Row[]): Markup {
  return tableOf(
    caption,
    columns,
    rows.map(([header, content]) => [rowHeader(header), markup`<td role="cell">${content}</td>`]),
  );
}

/** A table of items. When the style stacks the cells, each cell but the first shows the header of its column. */
export function listTable(caption: string, columns: readonly string[], rows: readonly (readonly Content[])[]): Markup {
  const cellOf = (content: Content, index: number) =>
    index === 0 ? rowHeader(content) : markup`<td role="cell" data-label="${columns[index] ?? ''}">${content}</td>`;
  return tableOf(
    caption,
    columns,
    rows.map((cells) => cells.map(cellOf)),
  );
}

/** The explicit roles repeat the implicit roles of the elements, which browsers drop when the style stacks the cells. */
function tableOf(caption: string, columns: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  return markup`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => markup`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells) => markup`<tr role="row">${cells}</tr>\n`)}</tbody>
</table>`;
}

function rowHeader(content: Content): Markup {
  return markup`<th scope="row" role="rowheader">${content}</th>`;
}

const digest = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;

/**
 * The Content-Security-Policy of every page: its own styles and script by digest, its icon, and nothing else. `form-action` permits http
 * and https, because browsers also apply it to the redirect from the form to the target.
 */
export const PAGE_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  'form-action http: https:',
  // For /favicon.ico.
  "img-src 'self'",
  "frame-ancestors 'none'",
  `script-src ${digest(SCRIPT)}`,
  `style-src ${digest(STYLE)} ${digest(SHORT_STYLE)}`,
].join('; ');
