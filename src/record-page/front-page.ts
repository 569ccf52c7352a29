import { copyButton, page } from './layout.js';
import { markup } from './markup.js';
import { linkTo } from './visible-text.js';
import { SHORT_STYLE } from './style.js';

/** A form that shows the record of the identifier in a text. Its fields are parameters of the Handle proxy. */
const RECORD_FORM = markup`<form method="post" action="/">
<label for="hdl">An identifier, in any form</label>
<input id="hdl" name="hdl" type="text" required maxlength="4096" autocomplete="off" spellcheck="false" aria-describedby="hint">
<input type="hidden" name="noredirect" value="true">
<p id="hint" class="kind">For example 100.102/F58FB49EB1F848F0A606E84CEF294BE5, a URI, a metadata ID, or a text with one of them.</p>
<button type="submit">Show the record</button>
</form>`;

/** The page at `/`. @param service the origin in its examples. @param hasForm whether the service resolves `POST /`. */
export function frontPage(service: string, hasForm: boolean): string {
  const mint = `curl ${service}/identifiers -H 'content-type: application/json' -d '{"namingAuthority":"100.102","target":"https://repo.example.org/objects/1"}'`;
  return page({
    title: 'Mintmark',
    isIndexed: true,
    main: markup`<h1>Mintmark</h1>
<p>This service mints and registers persistent identifiers for repositories: CORDRA identifiers, which are Handles, with their
metadata IDs and URIs.</p>
<h2>See one</h2>
${hasForm ? RECORD_FORM : null}
<p>Or read <a href="/identifiers?sort=-createdAt&amp;limit=5">the newest five as JSON</a>. The page of an identifier is at
<code>${service}/identifiers/</code> and its name.</p>
<h2>Mint one</h2>
<p><code>${mint}</code>${copyButton(mint, 'the command that mints an identifier')}</p>
<p>Replace <code>100.102</code> by <a href="/naming-authorities">a naming authority of this service</a>. Where writing needs an API key,
add <code>-H 'authorization: Bearer &lt;key&gt;'</code>. Or <a href="/docs#/identifiers/mintIdentifier">mint one in the browser</a>.</p>
<h2>Learn more</h2>
<ul>
<li><a href="/docs/tutorial.md">The tutorial: the first hour</a></li>
<li><a href="/docs">All operations, ready to execute</a>, and <a href="/openapi.json">their OpenAPI document</a></li>
<li><a href="/problems">Error codes</a></li>
<li><a href="/health/ready">Health</a></li>
</ul>`,
  });
}

/** The part before the link in the body of a redirect. This part is built once, because most responses of a resolver are redirects. */
const REDIRECT_START = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Redirect</title><style>${SHORT_STYLE}</style></head>
<body><main><h1>Redirect</h1><p>The object is at `;

/** The body of a redirect, for clients that do not follow it. @param location the URL of the target. */
export function redirectPage(location: string): string {
  return `${REDIRECT_START}${markup`${linkTo(location, location)}`.text}.</p></main></body>\n</html>\n`;
}

export function formPage(): string {
  return page({
    title: 'Resolve an identifier · Mintmark',
    isIndexed: true,
    main: markup`<h1>Resolve an identifier</h1>
${RECORD_FORM}`,
  });
}
