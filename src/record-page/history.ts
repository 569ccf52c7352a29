import type { ChangeKind } from '../registry/change.js';
import { type Markup, markup, shownTime } from './markup.js';
import type { PageEvent, PageRecord } from './page-record.js';
import { listTable } from './layout.js';
import { linkable, shownName, shownSentence } from './visible-text.js';

/** Words for kinds of changes whose names do not describe them. */
const WORDS: Partial<Record<ChangeKind, string>> = { released: 'Reservation released', lapsed: 'Reservation ended' };

/** The last changes, with a link to all changes; null if the reader may not see them. */
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
  const oldest = history.at(-1);
  // An identifier is imported with the version that it had elsewhere.
  const isWhole = oldest === undefined || oldest.version === 1 || oldest.kind === 'imported';
  return isWhole ? 'All changes, newest first.' : `The last ${history.length} changes, newest first.`;
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

function wholeHistory(url: string | undefined): Markup | null {
  if (url === undefined || !(/^\/(?!\/)/.test(url) || linkable(url) !== null)) return null;
  return markup`<p><a href="${url}">The whole history, with every value, as JSON</a></p>`;
}

function inWords(kind: ChangeKind): string {
  return WORDS[kind] ?? `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
}

interface ValueChange {
  readonly name: string;
  /** Undefined if the value is older than the known changes. */
  readonly before: string | null | undefined;
  readonly after: string | null;
}

const NAMES: Readonly<Record<string, string>> = {
  target: 'Target',
  metadataId: 'Metadata ID',
  alternateIds: 'Alternate identifiers',
  previousVersion: 'Previous version',
};

/** Maximum length of a value on the page, in UTF-16 code units. */
const MAX_LENGTH = 300;

/** @param history newest first. */
function changesIn(history: readonly PageEvent[]): Map<number, readonly ValueChange[]> {
  const changes = new Map<number, readonly ValueChange[]>();
  const values = new Map<string, string | null>();
  for (const { version, patch } of history.toReversed()) {
    if (patch === undefined || patch === null) {
      values.clear();
      continue;
    }
    const found: ValueChange[] = [];
    for (const operation of patch) {
      const isCreation = operation.op === 'add';
      const members = isCreation
        ? Object.entries(operation.value)
        : [[operation.path.slice(1), operation.value] as const];
      for (const [member, value] of members) {
        const name = NAMES[member];
        if (name === undefined) continue;
        const after = textOf(value);
        if (!isCreation) found.push({ name, before: values.get(member), after });
        values.set(member, after);
      }
    }
    changes.set(version, found);
  }
  return changes;
}

function textOf(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(', ') : value;
  if (typeof text !== 'string' || text === '') return null;
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).toWellFormed()}…`;
}
