import type { PageEvent } from './page-record.js';

/** An attribute before and after a change, as text; null for none. */
export interface ValueChange {
  readonly name: string;
  /** Undefined if the value is older than the known changes. */
  readonly before: string | null | undefined;
  readonly after: string | null;
}

/** The attributes whose values are shown, with their names on the page. */
const NAMES: Readonly<Record<string, string>> = {
  target: 'Target',
  metadataId: 'Metadata ID',
  alternateIds: 'Alternate identifiers',
  previousVersion: 'Previous version',
};

/** Maximum characters of a value. */
const MAX_LENGTH = 300;

/** Lists what each change changed, by version. @param history newest first. */
export function changesIn(history: readonly PageEvent[]): Map<number, readonly ValueChange[]> {
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
