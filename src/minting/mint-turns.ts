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
  const groups = new Map<string, Group>();
  for (const job of jobs) {
    const previous = waits(job) ? (job.command.previousVersion?.address ?? null) : null;
    const earliest = previous === null ? 0 : (rootOf(groups.get(nameKey(previous)))?.turn ?? -1) + 1;
    const group: Group = { turn: 0, joined: null };
    for (const value of [job, ...(updating?.get(job) ?? [])].flatMap(valuesOf)) {
      const other = rootOf(groups.get(value));
      if (other !== null && other !== group) {
        group.turn = Math.max(group.turn, other.turn);
        other.joined = group;
      }
      groups.set(value, group);
    }
    const turn = Math.min(turns.length, Math.max(earliest, group.turn));
    group.turn = updating?.has(job) ? turn + 1 : turn;
    (turns[turn] ??= []).push(job);
  }
  return turns;
}

/** Mints that have unique values in common, each with at least one of the others. A list of pairs would grow quadratically. */
interface Group {
  /** The first turn in which a later mint of the group can be. */
  turn: number;
  /** The group into which this one was merged. */
  joined: Group | null;
}

function rootOf(group: Group | undefined): Group | null {
  if (group === undefined) return null;
  let root = group;
  while (root.joined !== null) {
    root.joined = root.joined.joined ?? root.joined;
    root = root.joined;
  }
  return root;
}

/** The unique values of a mint, like those that `keysOf` returns for a new identifier, but without the place in the request. */
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
