import type { ChargeReport } from '../access/limits/token-buckets.js';
import type { MintContext } from '../registry/build-identifier.js';
import type { ConflictReader } from '../registry/conflict-problem.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { IgnorableMember } from '../registry/ignored-members.js';
import type { MintCommand, Understood } from '../registry/mint-command.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { Problem } from '../problem/problem.js';

export interface MintJob {
  readonly command: MintCommand;
  readonly context: MintContext;
  /** The naming authorities that the principal can see. The command is parsed, and its identifier is built, with these. */
  readonly known: NamingAuthoritySnapshot;
  /** What the principal may see of identifiers that have requested names. */
  readonly reader: ConflictReader;
  /** See `RequestContext`. */
  readonly onCharge?: ChargeReport | undefined;
}

/** The name of a record, and what determines its visibility. The tombstone has no reason text. */
export type RecordName = Pick<IdentifierRecord, 'id' | 'namingAuthority' | 'guid' | 'localName' | 'tombstone'>;

/** The result of a mint that did not fail. `R` is a record, or only its name (see `RecordBudget`). */
export interface MintOutcome<R extends RecordName = IdentifierRecord | RecordName> {
  /**
   * `replayed`: minted by an earlier request with the same idempotency key; `existing`: its metadata ID existed; `updated`: that identifier
   * got the values of the request; `found`: a replay of `existing` or `updated`; `toUpdate`: its metadata ID existed, and the caller must
   * update it.
   */
  readonly outcome: 'created' | 'replayed' | 'existing' | 'updated' | 'found' | 'toUpdate';
  readonly record: R;
  readonly metadataRecord: R | null;
  /** Members of the request that differ in the record as the client sees it; not for `created`. */
  readonly ignored?: readonly IgnorableMember[];
  /** See `MintCommand.understood`. */
  readonly understood?: Understood;
}

export type WholeOutcome = MintOutcome<IdentifierRecord>;

/** Whether a result kept the complete record (see `RecordBudget`). */
export function isWhole(record: IdentifierRecord | RecordName): record is IdentifierRecord {
  return 'state' in record;
}

export function isWholeOutcome(outcome: MintOutcome): outcome is WholeOutcome {
  return isWhole(outcome.record) && (outcome.metadataRecord === null || isWhole(outcome.metadataRecord));
}

export type MintResult = MintOutcome | Problem;

export function withUnderstood<T extends MintResult>(result: T, { command: { understood } }: MintJob): T {
  return understood === undefined || result instanceof Problem ? result : { ...result, understood };
}

export interface NamedResult {
  readonly clientRef: string | null;
  readonly result: MintResult;
}

export interface DecidedMint {
  readonly job: MintJob;
  readonly result: MintResult;
}

/** A mint whose identifier is built but not yet accepted by the database. */
export interface Candidate {
  readonly job: MintJob;
  /** Counted from 1; each attempt after a conflict builds a new identifier. */
  readonly attempt: number;
  readonly item: NewIdentifier;
}

export interface Decisions {
  readonly decided: readonly DecidedMint[];
  readonly undecided: readonly Candidate[];
}

/** The results of mints, each of which succeeds or fails separately. */
export interface MintGroupResults {
  readonly results: Map<MintJob, MintResult>;
  /** Why mints have no result; null if every mint has one. */
  readonly failure: Error | null;
}
