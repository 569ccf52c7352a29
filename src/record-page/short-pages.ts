import { RECORD_FORM } from './front-page.js';
import { page } from './layout.js';
import { linkTo } from './links.js';
import { markup } from './markup.js';
import { SHORT_STYLE } from './style.js';

/** What precedes the link in the body of a redirect; constant, because most responses of a resolver are redirects. */
const REDIRECT_START = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Redirect</title><style>${SHORT_STYLE}</style></head>
<body><main><h1>Redirect</h1><p>The object is at `;

/** The body of a redirect, as HTML, for clients that do not follow it. @param location the URL of the target. */
export function redirectPage(location: string): string {
  return `${REDIRECT_START}${markup`${linkTo(location, location)}`.text}.</p></main></body>\n</html>\n`;
}

/** The page with the form that resolves a name, as HTML. */
export function formPage(): string {
  return page({
    title: 'Resolve an identifier · Mintmark',
    isIndexed: true,
    main: markup`<h1>Resolve an identifier</h1>
${RECORD_FORM}`,
  });
}
