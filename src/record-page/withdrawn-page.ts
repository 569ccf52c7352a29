import { type ReasonCode, nativeText } from '../registry/identifier-record.js';
import { neighborUri } from '../registry/neighbor-uri.js';
import { attributeTable, kindOf } from './attributes.js';
import { historySection } from './history.js';
import { page } from './layout.js';
import { linkTo } from './links.js';
import { type Content, markup, shownTime } from './markup.js';
import type { PageRecord } from './page-record.js';
import { namesSection } from './record-page.js';
import { shownName, shownSentence, shownText } from './visible-text.js';

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

/** The page of a withdrawn identifier (410): the reason, the time and the replacement. */
export function withdrawnPage(shown: PageRecord): string {
  const { record } = shown;
  const native = nativeText(record);
  return page({
    title: `${native} was withdrawn · Mintmark`,
    isIndexed: false,
    main: markup`<p class="kind">${shownText(kindOf(record))}</p>
      <h1>${shownName(native)}</h1>
      ${tombstoneOf(shown)} ${attributeTable(shown)} ${namesSection(shown)} ${historySection(shown)}`,
  });
}

function tombstoneOf({ record: { tombstone }, uris: all, isPublic = true }: PageRecord): Content {
  const uris = isPublic ? all : { ...all, resolver: null };
  if (tombstone === null) return markup`<p class="state gone"><strong>Withdrawn</strong>.</p>`;
  const { withdrawnAt, reasonCode, reason, replacedBy } = tombstone;
  return markup`<div class="state gone">
    <p>
      <strong>Withdrawn</strong> on ${shownTime(withdrawnAt)}. The identifier stays registered and is never used again
      for another object.
    </p>
    <p>Kind of reason: ${KINDS[reasonCode]}</p>
    <p>Reason: ${shownSentence(reason)}</p>
    ${replacedBy === null ? markup`<p>No replacement is known.</p>` : markup`<p>Use instead: ${linkTo(neighborUri(uris, replacedBy), replacedBy)}</p>`}
  </div>`;
}
