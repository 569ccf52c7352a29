import type { ChangeKind } from '../registry/change.js';
import { type Markup, markup, shownTime } from './markup.js';
import type { PageEvent, PageRecord } from './page-record.js';
import { listTable } from './layout.js';
import { linkable, shownSentence } from './visible-text.js';

/** Kinds of changes that their names do not describe. */
const WORDS: Partial<Record<ChangeKind, string>> = { released: 'Reservation released', lapsed: 'Reservation ended' };

/** The last changes, with a link to all; null if the reader may not see them. */
export function historySection({ history, historyUrl }: PageRecord): Markup | null {
  if (history === null) return null;
  const showsClients = history.some(({ client }) => client !== null);
  const columns = ['Version', 'Time', 'Change', ...(showsClients ? ['By'] : [])];
  const rows = history.map(({ version, kind, at, client }) => {
    const by = client === null ? 'Unknown' : shownSentence(client);
    return [version, shownTime(at), inWords(kind), ...(showsClients ? [by] : [])];
  });
  return markup`<h2 id="history">History</h2>
    ${listTable(captionOf(history), columns, rows)} ${wholeHistory(historyUrl)}`;
}

function captionOf(history: readonly PageEvent[]): string {
  const oldest = history.at(-1);
  // An identifier is imported with the version that it had elsewhere.
  const isWhole = oldest === undefined || oldest.version === 1 || oldest.kind === 'imported';
  return isWhole ? 'All changes, newest first.' : `The last ${history.length} changes, newest first.`;
}

function wholeHistory(url: string | undefined): Markup | null {
  if (url === undefined || !(/^\/(?!\/)/.test(url) || linkable(url) !== null)) return null;
  return markup`<p><a href="${url}">The whole history, with every value, as JSON</a></p>`;
}

function inWords(kind: ChangeKind): string {
  return WORDS[kind] ?? `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
}
