import { addressIn } from '../registry/naming-authority-snapshot.js';
import { nameKey } from '../storage/identifiers/identifier-writer.js';
import type { MintJob } from './mint-outcome.js';

/** The mints that may update an identifier. Each has the mints that request alternates of that identifier, which the update can release. */
export type UpdatingMints = ReadonlyMap<MintJob, ReadonlySet<MintJob>>;

/**
 * Divides mints into turns, so that the previous version of a mint can be an earlier mint of the list. A mint that has a unique value in
 * common with an earlier one is in no earlier turn.
 * @param waits whether the previous version of a mint may not be registered yet.
 * @param updating if given, the updates of a turn are executed after its mints. A mint that has a unique value in common with an earlier
 * update is then in a later turn, so that the results are those of single requests. A turn updates each identifier at most once.
 */
export function turnsOf(
  jobs: readonly MintJob[],
  waits: (job: MintJob) => boolean,
  updating: UpdatingMints | null = null,
): MintJob[][] {
  if (updating === null && !jobs.some(waits)) return [[...jobs]];
  const turns: MintJob[][] = [];
  /** The first turn in which a later mint can have a value. */
  const turnOf = new Map<string, number>();
  /** The values of the mints with the same metadata ID. An update can release the alternates of an earlier one. */
  const byMetadata = new Map<string | undefined, Set<string>>();
  for (const job of jobs) {
    const previous = waits(job) ? (job.command.previousVersion?.address ?? null) : null;
    const key = job.command.metadata?.key;
    const values = byMetadata.get(key) ?? new Set<string>();
    for (const value of [job, ...(updating?.get(job) ?? [])].flatMap(valuesOf)) values.add(value);
    if (key !== undefined) byMetadata.set(key, values);
    const least = previous === null ? 0 : (turnOf.get(nameKey(previous)) ?? -1) + 1;
    const turn = Math.min(turns.length, Math.max(least, ...[...values].map((value) => turnOf.get(value) ?? 0)));
    for (const value of values) turnOf.set(value, updating?.has(job) ? turn + 1 : turn);
    (turns[turn] ??= []).push(job);
  }
  return turns;
}

/** The unique values of a mint, as `keysOf` has them for a built one, without the place in the request. */
function valuesOf({ command: { namingAuthority, guid, localName, metadata, alternates }, known }: MintJob): string[] {
  const authority = known.find(namingAuthority);
  if (authority === undefined) return [];
  const own = guid ?? localName;
  return [
    ...(own === null ? [] : [nameKey(addressIn(authority, own))]),
    ...(metadata === null ? [] : [`metadata ${authority.prefix} ${metadata.key}`]),
    ...alternates.flatMap(({ key, here }) =>
      [`alternate ${authority.prefix} ${key}`, here?.address ? nameKey(here.address) : []].flat(),
    ),
  ];
}
