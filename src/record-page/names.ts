import type { Uris } from '@mintmark/identifier';
import { nativeText } from '../registry/identifier-record.js';
import { copyButton } from './layout.js';
import { type Content, type Markup, markup } from './markup.js';
import type { PageRecord } from './page-record.js';
import { linkTo } from './links.js';
import { type Row, factTable } from './tables.js';
import { shownName } from './visible-text.js';

/** The URI forms with their names on the page, in the order of the page. */
const FORMS: readonly (readonly [keyof Uris, string])[] = [
  ['resolver', 'Web address'],
  ['cordraPath', 'hdl URI, CORDRA path form'],
  ['cordraHost', 'hdl URI, CORDRA host form'],
  ['handleUri', 'hdl URI, Handle URI scheme'],
  ['infoHdl', 'info URI'],
  ['fedoraUri', 'Fedora URI'],
];

/** Every form in which the identifier can be written, each with a copy button. */
export function nameTable({ record, uris, isPublic = true }: PageRecord): Markup {
  const native = nativeText(record);
  const rows: Row[] = [['Identifier', copied(markup`<code>${shownName(native)}</code>`, native, 'the identifier')]];
  for (const [form, words] of FORMS) {
    const uri = uris[form];
    if (form === 'resolver' && !isPublic) rows.push([words, 'Not yet public']);
    else if (uri !== null) rows.push([words, copied(markup`<code>${linkTo(uri, uri)}</code>`, uri, `the ${words}`)]);
  }
  return factTable('All of them denote this identifier.', ['Form', 'Text'], rows);
}

function copied(shown: Content, text: string, what: string): Markup {
  return markup`${shown}${copyButton(text, what)}`;
}
