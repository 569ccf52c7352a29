import { nativeText } from '../registry/identifier-record.js';
import { citationOf, attributeTable, kindOf, stateOf } from './attributes.js';
import { historySection } from './history.js';
import { copyButton, page } from './layout.js';
import { type Markup, markup } from './markup.js';
import { nameTable } from './names.js';
import type { PageRecord, PageValue } from './page-record.js';
import { linkTo } from './links.js';
import { listTable } from './tables.js';
import { shownName, shownText } from './visible-text.js';

/** Maximum length of a type that is not broken. Longer types may break anywhere, so that they fit on a narrow page. */
const MAX_WHOLE_LENGTH = 24;

/** The page of a registered identifier that is not withdrawn (200). */
export function recordPage(shown: PageRecord): string {
  const { record, values } = shown;
  const native = nativeText(record);
  const isActive = record.state === 'active';
  return page({
    title: `${native} · Mintmark`,
    isIndexed: isActive,
    canonicalUrl: isActive ? (shown.canonicalUrl ?? null) : null,
    main: markup`<p class="kind">${shownText(kindOf(record))}</p>
      <h1>${shownName(native)}</h1>
      ${stateOf(record)} ${attributeTable(shown)} ${namesSection(shown)} ${citationSection(shown)} ${values === null ? null : valuesSection(values)}
      ${historySection(shown)}`,
  });
}

export function namesSection(shown: PageRecord): Markup {
  return markup`<h2>Ways to write it</h2>
    ${nameTable(shown)}`;
}

/** A citation contains the web address, so there is no citation before a resolver leads to the record. */
function citationSection(shown: PageRecord): Markup {
  return markup`<h2>Citation</h2>
    ${citationParagraph(shown)}`;
}

function citationParagraph(shown: PageRecord): Markup {
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
