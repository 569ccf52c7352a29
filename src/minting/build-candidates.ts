import { Problem } from '../problem/problem.js';
import { conflictInProgress, requestInFlight } from '../problem/storage-problems.js';
import { buildIdentifier } from '../registry/build-identifier.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { type NamingAuthoritySnapshot, activeIn } from '../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import type { GuidGenerator } from '../registry/uuid.js';
import type { Candidate, DecidedMint, MintJob } from './mint-outcome.js';

/**
 * Attempts of a mint whose values others hold at its insert and not afterwards, or with new GUIDs, which collide only when the random
 * source is broken.
 */
export const MAX_ATTEMPTS = 5;

/** The records of the previous versions that mints name; without those that are not registered. */
export type PreviousVersions = ReadonlyMap<MintJob, IdentifierRecord>;

interface BuildContext {
  readonly guids: GuidGenerator;
  /** The naming authorities as they are at another attempt, of which each job sees what it may; null for those of each job. */
  readonly latest: NamingAuthoritySnapshot | null;
  readonly previousVersions: PreviousVersions;
}

/** Builds the identifiers of mints, each with a new GUID where the mint has none. Problems are results. */
export function buildCandidates(
  mints: readonly Omit<Candidate, 'item'>[],
  context: BuildContext,
): { readonly rejected: readonly DecidedMint[]; readonly candidates: readonly Candidate[] } {
  const rejected: DecidedMint[] = [];
  const candidates: Candidate[] = [];
  for (const { job, attempt } of mints) {
    const item = attempt > MAX_ATTEMPTS ? giveUp(job) : buildOne(job, context);
    if (item instanceof Problem) rejected.push({ job, result: item });
    else candidates.push({ job, attempt, item });
  }
  return { rejected, candidates };
}

function buildOne(job: MintJob, { guids, latest, previousVersions }: BuildContext): NewIdentifier | Problem {
  const { command, context } = job;
  const authorities = latest === null ? job.known : job.known.viewOf(latest);
  const previous = previousVersions.get(job) ?? null;
  try {
    const authority = activeIn(authorities, command.namingAuthority);
    return buildIdentifier(command, context, authority, authorities, guids, previous);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Each attempt met another request, with the same key or values, that had ended meanwhile. */
function giveUp({ context, command: { guid, localName, metadata, alternates } }: MintJob): Problem {
  if (context.request !== null) return requestInFlight();
  if ((guid ?? localName ?? metadata ?? alternates[0] ?? null) !== null) return conflictInProgress();
  throw new Error(`${MAX_ATTEMPTS} consecutive generated GUIDs exist already; the random source repeats values`);
}
