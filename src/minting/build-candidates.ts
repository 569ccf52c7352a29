import { Problem } from '../problem/problem.js';
import { conflictInProgress, requestInFlight } from '../problem/storage-problems.js';
import { buildIdentifier } from '../registry/build-identifier.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { type NamingAuthoritySnapshot, activeIn } from '../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import type { GuidGenerator } from '../registry/uuid.js';
import type { Candidate, DecidedMint, MintJob } from './mint-outcome.js';

/**
 * Maximum number of attempts of a mint. An attempt is repeated if its conflict was an expired reservation or was gone when examined, if the
 * naming authority has changed, or if a generated GUID existed, which happens only if the random source is broken.
 */
export const MAX_ATTEMPTS = 5;

/** Records of the previous versions that mints name, except unregistered ones. */
export type PreviousVersions = ReadonlyMap<MintJob, IdentifierRecord>;

interface BuildContext {
  readonly guids: GuidGenerator;
  /** The naming authorities at a later attempt, from which each job gets its view; null to use the naming authorities of each job. */
  readonly latest: NamingAuthoritySnapshot | null;
  readonly previousVersions: PreviousVersions;
}

/** Builds the identifiers of mints, with a generated name if the mint has neither a GUID nor a local name. Problems become results. */
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

/** The problem after the last attempt. In each attempt, another request held the key or values, but had ended when examined. */
function giveUp({ context, command: { guid, localName, metadata, previousVersion, alternates } }: MintJob): Problem {
  if (context.request !== null) return requestInFlight();
  if ((guid ?? localName ?? metadata ?? previousVersion ?? alternates[0] ?? null) !== null) return conflictInProgress();
  throw new Error(`${MAX_ATTEMPTS} consecutive generated GUIDs exist already; the random source repeats values`);
}
