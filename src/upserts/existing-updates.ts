import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { claimsBy } from '../curation/claims.js';
import { type ParsedValues, decide } from '../curation/curation-command.js';
import { RecordBudget, isWhole } from '../minting/found-records.js';
import type { MintJob, MintResult } from '../minting/mint-outcome.js';
import { conflictInProgress, isUniqueViolation } from '../problem/database-errors.js';
import { Problem, invalidValue } from '../problem/problem.js';
import { nameConflictProblem } from '../registry/conflict-problem.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { ignoredMembers } from '../registry/ignored-members.js';
import { denotes, keyCollision } from '../registry/key-collision.js';
import { changeTime, requireState } from '../registry/lifecycle.js';
import type { MintCommand } from '../registry/mint-command.js';
import { Attempts } from '../storage/attempts.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import {
  IdentifierUpdater,
  type LockedIdentifiers,
  type RecordChange,
} from '../storage/identifiers/identifier-updater.js';
import { NameHolders } from '../storage/identifiers/name-holders.js';
import { lockNames } from '../storage/identifiers/name-locks.js';
import { type Queryable, Transactions } from '../storage/transactions.js';

/** Attempts in any case when each has recorded expiries: a batch of 10,000 finds them in up to 20 of its statements. */
const ATTEMPTS_AFTER_EXPIRIES = 50;

/** Octets of the records that one transaction reads and changes. */
const MAX_OCTETS = 16_777_216;

/** Identifiers that are changed by one statement. */
const SLICE = 500;

/** A mint whose metadata ID exists, with the identifier that has it. */
export interface FoundMint {
  readonly job: MintJob;
  readonly id: bigint;
  /** Whether the result did not keep its record. */
  readonly isLarge: boolean;
}

/** The transaction must be repeated: an identifier has changed since it was found. */
export class Unsettled extends Error {
  /** @param expired reservations whose expiry must be recorded before, because they have requested names. */
  constructor(readonly expired: readonly bigint[] = []) {
    super('an identifier changed while it was being updated');
  }
}

/** Ends a transaction that must be repeated after these expiries were recorded. */
export function repeatAfterExpiry(expired: readonly bigint[]): never {
  throw new Unsettled(expired);
}

interface Decided {
  readonly job: MintJob;
  readonly id: bigint;
  readonly record: IdentifierRecord;
  readonly change: RecordChange | null;
}

/** Why an update is refused, and the identifier that has the name. */
interface Taken {
  readonly problem: Problem;
  readonly holder: bigint;
}

/** The mints whose metadata ID exists and that update its identifier. */
export function foundIn(results: ReadonlyMap<MintJob, MintResult>): FoundMint[] {
  return [...results].flatMap(([job, result]) =>
    !(result instanceof Problem) && result.outcome === 'toUpdate'
      ? [{ job, id: result.record.id, isLarge: !isWhole(result.record) }]
      : [],
  );
}

/** Gives existing identifiers the values of mints with `onExisting: "update"`, by the rules of `PATCH`. */
@Injectable()
export class ExistingUpdates {
  constructor(
    private readonly updater: IdentifierUpdater,
    private readonly holders: NameHolders,
    private readonly reader: IdentifierReader,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Repeats a transaction in which an update was not possible, after recording the expiries that were in its way.
   * @throws Problem CONFLICT_IN_PROGRESS when the identifiers change in every attempt.
   */
  async repeat<T>(transaction: () => Promise<T>): Promise<T> {
    const attempts = new Attempts();
    for (;;) {
      try {
        return await transaction();
      } catch (error) {
        if (!(error instanceof Unsettled) && !isUniqueViolation(error)) throw error;
        const expired = error instanceof Unsettled ? error.expired : [];
        if (!(await attempts.again(expired.length > 0 ? ATTEMPTS_AFTER_EXPIRIES : undefined)))
          throw conflictInProgress();
        if (expired.length > 0) await this.expire(expired);
      }
    }
  }

  /**
   * Locks the identifiers that mints will update, before their transaction writes anything: the number of a transaction is
   * its position in the log, so it must be assigned after earlier changes of the same identifiers.
   * @throws Problem INVALID_REQUEST when their records are too large together.
   */
  async lockExisting(transaction: Queryable, jobs: readonly MintJob[]): Promise<LockedIdentifiers | null> {
    const names = jobs.flatMap(({ known, command: { namingAuthority, metadata, onExisting } }) => {
      const authority = known.find(namingAuthority);
      if (onExisting !== 'update' || metadata === null || authority === undefined) return [];
      return [{ namingAuthority: authority.prefix, kind: 'metadataId' as const, name: metadata }];
    });
    const holders = await this.holders.findHolders(names, transaction);
    const ids = [...new Set(holders.flatMap((holder) => holder?.id ?? []))];
    if (ids.length === 0) return null;
    const octets = await this.reader.octetsOf(ids, transaction);
    if (octets > MAX_OCTETS) {
      const detail = `the existing identifiers that the items update have ${octets} octets together; at most ${MAX_OCTETS} are allowed`;
      throw invalidValue('/items', detail);
    }
    return this.updater.lock(transaction, ids);
  }

  /**
   * Updates the identifiers of a transaction that also mints, and replaces their results.
   * @param locked what `lockExisting` returned at the begin of the transaction.
   * @throws Unsettled to repeat the transaction.
   */
  async applyWithin(
    transaction: Queryable,
    locked: LockedIdentifiers | null,
    results: Map<MintJob, MintResult>,
    principal: Principal,
  ): Promise<void> {
    const found = foundIn(results);
    if (found.length === 0) return;
    // Another transaction minted it after the lock.
    if (locked === null) throw new Unsettled();
    const budget = new RecordBudget();
    for (const [job, result] of await this.apply(transaction, locked, found, principal))
      results.set(job, budget.reduce(result));
  }

  /**
   * Updates locked identifiers, no two mints the same one.
   * @returns a result for each: the updated identifier, or the Problem WRONG_STATE, ALTERNATE_ID_TAKEN, KEY_COLLISION or
   * INVALID_REQUEST.
   * @throws Unsettled when an identifier is not locked or has lost its metadata ID.
   */
  async apply(
    transaction: Queryable,
    locked: LockedIdentifiers,
    found: readonly FoundMint[],
    principal: Principal,
  ): Promise<Map<MintJob, MintResult>> {
    const records = new Map(locked.records.map((record) => [record.id, record]));
    const results = new Map<MintJob, MintResult>();
    const decided: Decided[] = [];
    for (const { job, id } of found) {
      const record = records.get(id);
      if (record === undefined || !isKnownAs(record, job.command)) throw new Unsettled();
      const change = decideUpdate(record, job, locked.now, principal);
      if (change instanceof Problem) results.set(job, change);
      else decided.push({ job, id, record, change });
    }
    for (let from = 0; from < decided.length; from += SLICE) {
      let pending: readonly Decided[] = decided.slice(from, from + SLICE);
      while (pending.length > 0) {
        const refused = await this.findTaken(transaction, pending);
        const accepted = pending.filter(({ job }) => !refused.has(job));
        const changes = accepted.flatMap(({ change }) => change ?? []);
        const updated = await this.updater.update(transaction, principal, locked.now, changes);
        const current = new Map(updated.map((record) => [record.id, record]));
        for (const { job, id, record } of accepted) {
          const now = current.get(id) ?? record;
          const ignored = ignoredMembers(job.command, now);
          results.set(job, { outcome: 'updated', record: now, metadataRecord: null, ignored });
        }
        const again = whereReleasedBefore(pending, refused);
        for (const [job, { problem }] of refused) results.set(job, problem);
        pending = again;
      }
    }
    return results;
  }

  async expire(ids: readonly bigint[]): Promise<void> {
    await this.transactions.run((transaction) => this.updater.expireLeases(transaction, ids));
  }

  /** The refusals of updates whose alternates other identifiers have. @throws Unsettled for those of expired reservations. */
  private async findTaken(transaction: Queryable, decided: readonly Decided[]): Promise<Map<MintJob, Taken>> {
    const wanted = decided.flatMap(({ job, record, change }) => {
      const { id, namingAuthority } = record;
      const alternates = change?.amendment.alternates ?? [];
      const names = alternates.map((name, index) => ({
        ...{ namingAuthority, kind: 'alternateId' as const, name },
        pointer: `/alternateIds/${index}`,
      }));
      return [...names, ...claimsBy(record, alternates)].map((name) => ({ ...name, job, id }));
    });
    const claims = wanted.flatMap((name) => (name.kind === 'identifier' ? [name] : []));
    await lockNames(
      transaction,
      claims.map(({ address }) => ({ address, isClaim: true })),
    );
    const holders = await this.holders.findHolders(wanted, transaction);
    const held = wanted.flatMap((name, index) => {
      const holder = holders[index] ?? null;
      return holder === null || holder.id === name.id ? [] : [{ ...name, holder }];
    });
    const expired = held.filter(({ holder }) => holder.isExpired);
    if (expired.length > 0) throw new Unsettled(expired.map(({ holder }) => holder.id));
    const refused = new Map<MintJob, Taken>();
    for (const { job, pointer, holder } of held) {
      if (refused.has(job)) continue;
      const problem = holder.isSame
        ? nameConflictProblem('ALTERNATE_ID_TAKEN', holder, pointer)
        : keyCollision(pointer);
      refused.set(job, { problem, holder: holder.id });
    }
    return refused;
  }
}

/** The refused updates whose name an earlier one of the same transaction had and may have released. */
function whereReleasedBefore(pending: readonly Decided[], refused: ReadonlyMap<MintJob, Taken>): Decided[] {
  const updated = new Set<bigint>();
  return pending.filter(({ job, id }) => {
    const taken = refused.get(job);
    if (taken === undefined) updated.add(id);
    return taken !== undefined && updated.has(taken.holder);
  });
}

/** Whether a record still has the metadata ID of a mint. */
function isKnownAs({ metadataId }: IdentifierRecord, { metadata }: MintCommand): boolean {
  return metadataId !== null && metadata !== null && denotes(metadataId, metadata);
}

/** The change of a locked identifier; null where it has the values already. */
function decideUpdate(
  record: IdentifierRecord,
  { command, known }: MintJob,
  now: Date,
  principal: Principal,
): RecordChange | Problem | null {
  try {
    requireState(record, 'changed');
    const at = changeTime(record, now);
    const amendment = decide(
      record,
      { step: 'changed', values: valuesOf(command) },
      { at, known: principal.viewOf(known), other: null, principal },
    );
    return amendment === null ? null : { record, amendment };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The values that a mint gives to an existing identifier: those that it has. */
function valuesOf({ sent, target, alternates }: MintCommand): ParsedValues {
  return {
    ...(sent.includes('target') && { target }),
    ...(sent.includes('alternateIds') && { alternates }),
  };
}
