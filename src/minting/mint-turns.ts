import { addressIn } from '../registry/naming-authority-snapshot.js';
import { nameKey } from '../storage/identifiers/identifier-writer.js';
import type { MintJob } from './mint-outcome.js';

/**
 * Divides mints into turns, so that the previous version of a mint can be an earlier mint of the list. A mint that has a unique value in
 * common with an earlier one is in no earlier turn.
 * @param waits whether the previous version of a mint may not be registered yet.
 */
export function turnsOf(jobs: readonly MintJob[], waits: (job: MintJob) => boolean): MintJob[][] {
  if (!jobs.some(waits)) return [[...jobs]];
  const turns: MintJob[][] = [];
  const turnOf = new Map<string, number>();
  for (const job of jobs) {
    const previous = waits(job) ? (job.command.previousVersion?.address ?? null) : null;
    const values = valuesOf(job);
    const least = previous === null ? 0 : (turnOf.get(nameKey(previous)) ?? -1) + 1;
    const turn = Math.max(least, ...values.map((value) => turnOf.get(value) ?? 0));
    for (const value of values) turnOf.set(value, turn);
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
