import type { ChangeKind } from '../registry/change.js';
import { linkable } from './links.js';
import { type Markup, markup, shownTime } from './markup.js';
import type { PageEvent, PageRecord } from './page-record.js';
import { listTable } from './tables.js';
import { type ValueChange, changesIn } from './value-changes.js';
import { shownName, shownSentence } from './visible-text.js';

/** The last changes, with a link to all; null if the reader may not see them. */
export function historySection({ record, history, historyUrl }: PageRecord): Markup | null {
  if (history === null) return null;
  // A withdrawn record does not show its former target.
  const isActive = record.state !== 'withdrawn';
  const showsClients = history.some(({ client }) => client !== null);
  const columns = ['Version', 'Time', 'Change', ...(showsClients ? ['By'] : [])];
  const changes = isActive ? changesIn(history) : new Map<number, readonly ValueChange[]>();
  const rows = history.map((event) => rowOf(event, changes.get(event.version) ?? [], showsClients));
  return markup`<h2 id="history">History</h2>
    ${listTable(captionOf(history), columns, rows)} ${wholeHistory(historyUrl)}`;
}

function rowOf({ version, kind, at, client }: PageEvent, changes: readonly ValueChange[], showsClients: boolean) {
  const by = client === null ? 'Unknown' : shownSentence(client);
  return [version, shownTime(at), markup`${inWords(kind)}${listOf(changes)}`, ...(showsClients ? [by] : [])];
}

function captionOf(history: readonly PageEvent[]): string {
  const oldest = history.at(-1)?.version ?? 1;
  return oldest === 1 ? 'All changes, newest first.' : `The last ${history.length} changes, newest first.`;
}

function listOf(changes: readonly ValueChange[]): Markup | null {
  if (changes.length === 0) return null;
  return markup`<ul role="list">${changes.map(
    ({ name, before, after }) =>
      markup`<li>${name}${before === undefined ? null : markup` from ${valueIn(before)}`} to ${valueIn(after)}</li>`,
  )}</ul>`;
}

function valueIn(value: string | null): Markup {
  return markup`<code>${value === null ? 'none' : shownName(value)}</code>`;
}

/** Accepts a path of this service, or an http or https URL. */
function wholeHistory(url: string | undefined): Markup | null {
  if (url === undefined || !(/^\/(?!\/)/.test(url) || linkable(url) !== null)) return null;
  return markup`<p><a href="${url}">The whole history, with every value, as JSON</a></p>`;
}

function inWords(kind: ChangeKind): string {
  switch (kind) {
    case 'released':
      return 'Reservation released';
    case 'lapsed':
      return 'Reservation ended';
    default:
      return `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
  }
}
