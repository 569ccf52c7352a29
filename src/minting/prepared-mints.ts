import type { Insertion } from '../storage/identifiers/identifier-writer.js';
import type { PreviousVersions } from './build-candidates.js';
import type { Candidate, Decisions, MintJob, MintResult } from './mint-outcome.js';

/** Candidates of one statement, and later ones, which conflict with a candidate of the statement. */
export interface InsertBatch {
  readonly now: readonly Candidate[];
  readonly later: readonly Candidate[];
  readonly insertion: Insertion;
}

/** Built mints, with the statement that inserts them. The statement is null if replays are likely and are looked up first. */
export interface BuiltMints extends Decisions {
  readonly insertBatch: InsertBatch | null;
  readonly previousVersions: PreviousVersions;
}

/** Mints to insert. If a previous version is not registered yet, all are built at the insert, because earlier mints may register it. */
export type PreparedMints = BuiltMints | { readonly found: PreviousVersions; readonly turns: readonly MintJob[][] };

/** The results of mints that do not depend on each other. */
export interface MintGroupResults {
  readonly results: Map<MintJob, MintResult>;
  /** Why mints have no result; null if every mint has one. */
  readonly failure: Error | null;
}
