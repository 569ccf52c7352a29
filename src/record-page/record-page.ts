import type { Uris } from '@mintmark/identifier';
import { type ReasonCode, nativeText } from '../registry/identifier-record.js';
import { neighborUri } from '../registry/neighbor-uri.js';
import { attributeTable, citationOf, kindOf, linkableUris, stateOf } from './attributes.js';
import { historySection } from './history.js';
import { type Row, copyButton, factTable, listTable, page } from './layout.js';
import { type Content, type Markup, markup, shownTime } from './markup.js';
import type { PageRecord, PageValue } from './page-record.js';
import { linkTo, shownName, shownSentence, shownText } from './visible-text.js';

/** Maximum length of the type of a Handle value without line breaks. Longer types may break anywhere, to fit on a narrow page. */
const MAX_WHOLE_LENGTH = 24;

const KINDS: Readonly<Record<ReasonCode, string>> = {
  duplicate: 'duplicate of another object',
  error: 'registered in error',
  legal: 'legal reason',
  other: 'other reason',
  deleted: 'deleted by a Handle client',
  expired: 'the reservation expired',
  released: 'the reservation was released',
  undone: 'the registration was undone',
};

const FORMS: readonly (readonly [keyof Uris, string])[] = [
  ['resolver', 'Web address'],
  ['cordraPath', 'hdl URI, CORDRA path form'],
  ['cordraHost', 'hdl URI, CORDRA host form'],
  ['handleUri', 'hdl URI, Handle URI scheme'],
  ['infoHdl', 'info URI'],
  ['fedoraUri', 'Fedora URI'],
];

/** The page of an active or reserved identifier (200). */
export function recordPage(shown: PageRecord): string {
  const { record, values } = shown;
  return pageOf(
    shown,
    nativeText(record),
    stateOf(record),
    markup`<h2>Citation</h2>
    ${citationParagraph(shown)} ${values === null ? null : valuesSection(values)}
      `,
  );
}

/** The page of a withdrawn identifier (410, or 451 for a legal reason): the reason, the time and the replacement. */
export function withdrawnPage(shown: PageRecord): string {
  return pageOf(shown, `${nativeText(shown.record)} was withdrawn`, tombstoneOf(shown), null);
}

function pageOf(shown: PageRecord, title: string, state: Content, further: Content): string {
  const { record, canonicalUrl = null } = shown;
  const isActive = record.state === 'active';
  return page({
    title: `${title} · Mintmark`,
    isIndexed: isActive,
    canonicalUrl: isActive ? canonicalUrl : null,
    main: markup`<p class="kind">${shownText(kindOf(record))}</p>
      <h1>${shownName(nativeText(record))}</h1>
      ${state} ${attributeTable(shown)} <h2>Ways to write it</h2>
    ${nameTable(shown)} ${further}${historySection(shown)}`,
  });
}

function nameTable({ record, uris, isPublic = true }: PageRecord): Markup {
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

function citationParagraph(shown: PageRecord): Markup {
  // A citation contains the web address, so there is no citation before a resolver leads to the record.
  if (shown.isPublic === false) {
    return markup`<p>Not yet public: the operator of this service has not set the resolver of its web addresses.</p>`;
  }
  const citation = citationOf(shown);
  return markup`<p><cite>${shownName(citation)}</cite>${copyButton(citation, 'the citation')}</p>`;
}

function valuesSection(values: readonly PageValue[]): Markup {
  const rows = values.map(({ index, type, data, ttl, timestamp }) => [
    index,
    type.length <= MAX_WHOLE_LENGTH ? markup`<span class="word">${shownName(type)}</span>` : shownName(type),
    linkTo(data, data),
    `${ttl} s`,
    markup`<time datetime="${timestamp}">${shownText(timestamp)}</time>`,
  ]);
  return markup`<h2>Handle values</h2>
    ${listTable(values.length === 0 ? 'No Values Found' : 'The values that this Handle has.', ['Index', 'Type', 'Data', 'Time to live', 'Changed'], rows)}`;
}

function tombstoneOf(shown: PageRecord): Content {
  const { tombstone } = shown.record;
  if (tombstone === null) return markup`<p class="state gone"><strong>Withdrawn</strong>.</p>`;
  const { withdrawnAt, reasonCode, reason, replacedBy } = tombstone;
  return markup`<div class="state gone">
    <p>
      <strong>Withdrawn</strong> on ${shownTime(withdrawnAt)}. The identifier stays registered and is never used again
      for another object.
    </p>
    <p>Kind of reason: ${KINDS[reasonCode]}</p>
    <p>Reason: ${shownSentence(reason)}</p>
    ${replacedBy === null ? markup`<p>No replacement is known.</p>` : markup`<p>Use instead: ${linkTo(neighborUri(linkableUris(shown), replacedBy), replacedBy)}</p>`}
  </div>`;
}
