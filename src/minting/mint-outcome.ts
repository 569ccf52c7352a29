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
  /** The naming authorities that the principal can see, with which the command was parsed; it is built with the same ones. */
  readonly known: NamingAuthoritySnapshot;
  /** What the principal may see of identifiers that have requested names. */
  readonly reader: ConflictReader;
}

/** What names a record, and tells who may see its values; its tombstone has no reason. */
export type RecordName = Pick<IdentifierRecord, 'id' | 'namingAuthority' | 'guid' | 'localName' | 'tombstone'>;

/** The identifier of a mint. `R`: a record, or only its name, see `RecordBudget`. */
export interface MintOutcome<R extends RecordName = IdentifierRecord | RecordName> {
  /**
   * `replayed`: an earlier request with the same idempotency key minted it; `existing`: its metadata ID existed;
   * `updated`: that one has the values of the request; `found`: a replay of one of these two; `toUpdate`: its metadata ID
   * existed, and the caller must update it.
   */
  readonly outcome: 'created' | 'replayed' | 'existing' | 'updated' | 'found' | 'toUpdate';
  readonly record: R;
  readonly metadataRecord: R | null;
  /** The members of the request that an existing identifier has with other values. */
  readonly ignored?: readonly IgnorableMember[];
  /** As `MintCommand.understood`. */
  readonly understood?: Understood;
}

/** With the whole records, for a response. */
export type WholeOutcome = MintOutcome<IdentifierRecord>;

/** Whether a result kept its record, see `RecordBudget`. */
export function isWhole(record: IdentifierRecord | RecordName): record is IdentifierRecord {
  return 'state' in record;
}

/** Whether a result kept both of its records. */
export function isWholeOutcome(outcome: MintOutcome): outcome is WholeOutcome {
  return isWhole(outcome.record) && (outcome.metadataRecord === null || isWhole(outcome.metadataRecord));
}

export type MintResult = MintOutcome | Problem;

/** A result with what the request was understood to name. */
export function withUnderstood<T extends MintResult>(result: T, { command: { understood } }: MintJob): T {
  return understood === undefined || result instanceof Problem ? result : { ...result, understood };
}

export interface NamedResult {
  readonly clientRef: string | null;
  readonly result: MintResult;
}

/** A mint whose result is final. */
export interface DecidedMint {
  readonly job: MintJob;
  readonly result: MintResult;
}

/** A mint whose identifier is built, before the database has accepted it. */
export interface Candidate {
  readonly job: MintJob;
  /** Counted from 1; each attempt after a conflict builds a new identifier. */
  readonly attempt: number;
  readonly item: NewIdentifier;
}

/** The candidates of one step: those that it decided, and the others. */
export interface Decisions {
  readonly decided: readonly DecidedMint[];
  readonly undecided: readonly Candidate[];
}
