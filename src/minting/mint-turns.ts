import { addressIn } from '../registry/naming-authority-snapshot.js';
import { nameKey } from '../storage/identifiers/identifier-writer.js';
import type { MintJob } from './mint-outcome.js';

/** For each mint that can replace the alternates of an existing identifier: the mints that request some of these alternates. */
export type HeldNames = ReadonlyMap<MintJob, readonly MintJob[]>;

/** Whether a mint updates the identifier that has its metadata ID, if there is one. */
export function mayUpdate({ command: { onExisting, metadata } }: MintJob): boolean {
  return onExisting === 'update' && metadata !== null;
}

/**
 * Divides mints into turns, so that the previous version of a mint can be an earlier mint of the list. A mint that has a unique value in
 * common with an earlier one is in no earlier turn.
 * @param waits whether the previous version of a mint may not be registered yet.
 * @param held not null if the updates of a turn follow its mints and precede the next turn. A mint that has a unique value in common with
 * an earlier update is then in a later turn.
 */
export function turnsOf(
  jobs: readonly MintJob[],
  waits: (job: MintJob) => boolean,
  held: HeldNames | null = null,
): MintJob[][] {
  if (held === null && !jobs.some(waits)) return [[...jobs]];
  const turns: MintJob[][] = [];
  const turnOf = new Map<string, number>();
  /** The values that an update was the last to have. */
  const updated = new Set<string>();
  let first = 0;
  for (const job of jobs) {
    const previous = waits(job) ? (job.command.previousVersion?.address ?? null) : null;
    const metadata = metadataValueOf(job);
    const waiting = held?.get(job);
    const values = [metadata ?? [], ...[job, ...(waiting ?? [])].map(namesOf)].flat();
    const isUpdate = held !== null && mayUpdate(job);
    const least = previous === null ? 0 : (turnOf.get(nameKey(previous)) ?? -1) + 1;
    const after = (value: string): number => {
      // Updates of one identifier in one turn are executed in their order.
      const isLater = updated.has(value) && !(isUpdate && value === metadata);
      return (turnOf.get(value) ?? 0) + Number(isLater);
    };
    // An earlier mint of the list can change the alternates, so that it is not known which are released.
    const isAlone = waiting !== undefined && metadata !== null && turnOf.has(metadata);
    const turn = isAlone ? turns.length : Math.max(first, least, ...values.map(after));
    if (isAlone) first = turn + 1;
    for (const value of values) {
      turnOf.set(value, turn);
      if (isUpdate) updated.add(value);
      else updated.delete(value);
    }
    (turns[turn] ??= []).push(job);
  }
  return turns;
}

// Unique values of a mint, as `keysOf` has them for a built one, without the place in the request.

function metadataValueOf({ command: { namingAuthority, metadata }, known }: MintJob): string | null {
  const authority = known.find(namingAuthority);
  return authority === undefined || metadata === null ? null : `metadata ${authority.prefix} ${metadata.key}`;
}

function namesOf({ command: { namingAuthority, guid, localName, alternates }, known }: MintJob): string[] {
  const authority = known.find(namingAuthority);
  if (authority === undefined) return [];
  const own = guid ?? localName;
  return [
    ...(own === null ? [] : [nameKey(addressIn(authority, own))]),
    ...alternates.flatMap(({ key, here }) =>
      [`alternate ${authority.prefix} ${key}`, here?.address ? nameKey(here.address) : []].flat(),
    ),
  ];
}
