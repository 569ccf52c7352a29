import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { isLockTimeout } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { keyCollision } from '../registry/key-collision.js';
import { ignoredMembers } from '../registry/ignored-members.js';
import type { MintCommand } from '../registry/mint-command.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { type Conflicts, expiredIn } from '../storage/identifiers/conflict-finder.js';
import { keyReused, requestInFlight } from '../storage/idempotency-key.js';
import { IdentifierUpdater } from '../storage/identifiers/identifier-updater.js';
import { type LockWait, type Queryable, Transactions, lockWaitMs } from '../storage/transactions.js';
import { WRITE_CLIENT, type WriteClient } from '../storage/write-client.js';
import { conflictProblem } from '../registry/conflict-problem.js';
import type { Candidate, DecidedMint, Decisions, MintResult } from './mint-outcome.js';
import { MintReplays, replayOf } from './mint-replays.js';

/** Milliseconds between attempts to expire a locked lease on the hot pool, whose connections are few. */
const LOCKED_PAUSES_MS = [20, 40, 80, 160, 320, 640, 1280];

export type OnExpired = (ids: readonly bigint[]) => never;

interface Conflicting {
  readonly candidate: Candidate;
  readonly conflicts: Conflicts;
}

/** Explains why identifiers were not inserted. */
@Injectable()
export class MintConflicts {
  constructor(
    @Inject(WRITE_CLIENT) private readonly prisma: WriteClient,
    private readonly updater: IdentifierUpdater,
    private readonly transactions: Transactions,
    private readonly replays: MintReplays,
  ) {}

  /**
   * Finds and resolves the conflicts of mints, and stores the results that no row of an identifier has. Candidates
   * without a conflict, or whose conflict is gone, are undecided; expired reservations in their way are recorded.
   * @param lockWait how long an expired reservation may be locked.
   * @param onExpired for a transaction that holds locks of changes, which the transaction that records an expiry could wait
   * for: gets the reservations and throws, so that the caller records their expiry and repeats its transaction.
   */
  async explain(
    candidates: readonly Candidate[],
    transaction: Queryable | undefined,
    lockWait: LockWait,
    onExpired: OnExpired | null = null,
  ): Promise<Decisions> {
    const conflicting = await this.find(candidates, transaction);
    const stored = await this.storedResults(conflicting, transaction);
    const decided: DecidedMint[] = [];
    const undecided: Candidate[] = [];
    const expired: bigint[] = [];
    const toStore = new Map<DecidedMint, Candidate>();
    for (const { candidate, conflicts } of conflicting) {
      const { job, item } = candidate;
      const replay = stored.get(candidate);
      const result = replay ?? resolveConflicts(conflicts, job.command, item.request);
      if (result === null) {
        undecided.push(candidate);
        expired.push(...expiredIn(conflicts).map(({ id }) => id));
      } else if (replay === undefined && this.replays.mustStore({ job, result }))
        toStore.set({ job, result }, candidate);
      else decided.push({ job, result });
    }
    if (expired.length > 0) onExpired?.(expired);
    if (expired.length > 0) await this.expireLeases(expired, transaction !== undefined, lockWait);
    const valid = await this.replays.store([...toStore.keys()]);
    // What is stored now waits by its own commit, and a transaction by that of the caller.
    if (transaction === undefined && valid.size === 0 && mustWait(conflicting, decided))
      await this.transactions.waitForStandby();
    for (const [decision, candidate] of toStore) {
      if (valid.has(decision)) decided.push(decision);
      else undecided.push(candidate);
    }
    return { decided, undecided };
  }

  private async find(candidates: readonly Candidate[], from: Queryable | undefined): Promise<Conflicting[]> {
    const items: readonly NewIdentifier[] = candidates.map(({ item }) => item);
    const found = await this.prisma.identifier.findConflicts(items, from);
    return candidates.flatMap((candidate, index) => {
      const conflicts = found[index];
      return conflicts === undefined ? [] : [{ candidate, conflicts }];
    });
  }

  /**
   * Releases the values of expired reservations, in a separate transaction: in that of a caller, which has its number
   * already, the expiry could have a position before an earlier change of the same identifier.
   */
  private async expireLeases(ids: readonly bigint[], hasTransaction: boolean, lockWait: LockWait): Promise<void> {
    const expire = (transaction: Queryable): Promise<number> => this.updater.expireLeases(transaction, ids);
    if (!hasTransaction) {
      await this.transactions.run(expire, lockWaitMs(lockWait));
      return;
    }
    for (const pauseMs of LOCKED_PAUSES_MS) {
      try {
        await this.transactions.runOnHotPool(expire);
        return;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        await pause(pauseMs);
      }
    }
    await this.transactions.runOnHotPool(expire);
  }

  /** The stored results of those that are repeats of the same request. */
  private async storedResults(
    conflicting: readonly Conflicting[],
    from: Queryable | undefined,
  ): Promise<ReadonlyMap<Candidate, MintResult>> {
    const repeats = new Map<Candidate, string>();
    for (const { candidate, conflicts } of conflicting) {
      const stored = conflicts.storedResult;
      if (stored !== null && stored.hash === candidate.item.request?.fingerprint) repeats.set(candidate, stored.text);
    }
    return this.replays.readAll(repeats, from);
  }
}

/** Whether a result was made of rows that a synchronous standby may not have; "in flight" is no result. */
function mustWait(conflicting: readonly Conflicting[], decided: readonly DecidedMint[]): boolean {
  if (!conflicting.some(({ conflicts }) => conflicts.hasStandby)) return false;
  return decided.some(({ result }) => !(result instanceof Problem && result.code === 'REQUEST_IN_FLIGHT'));
}

/**
 * Resolves the conflicts of a mint. A stored result of the same request takes precedence; the caller has looked for it.
 * @returns the identifier of an earlier request or with the same metadata ID; the Problem IDEMPOTENCY_KEY_REUSED,
 * REQUEST_IN_FLIGHT, KEY_COLLISION, METADATA_ID_TAKEN, GUID_TAKEN, IDENTIFIER_TAKEN or ALTERNATE_ID_TAKEN; null to try again: a
 * generated GUID existed, a conflicting reservation has expired, or the conflict is gone.
 */
export function resolveConflicts(
  conflicts: Conflicts,
  command: MintCommand,
  request: NewIdentifier['request'],
): MintResult | null {
  if (request !== null) {
    const earlier = conflicts.request;
    if (earlier !== null) return replayOf({ ...earlier, metadataRecord: conflicts.requestMetadataRecord }, request);
    if (conflicts.storedResult !== null || conflicts.otherRequest) return keyReused();
    if (conflicts.isInFlight) return requestInFlight();
  }
  if (expiredIn(conflicts).length > 0) return null;
  const { metadata, address, alternate, collision } = conflicts;
  if (collision !== null) return keyCollision(collision);
  if (metadata !== null) return resolveMetadataConflict(metadata, address, command);
  if (address !== null && command.guid !== null)
    return conflictProblem('GUID_TAKEN', 'This GUID is registered', address, '/guid');
  if (address !== null && command.localName !== null)
    return conflictProblem('IDENTIFIER_TAKEN', 'This local name is registered', address, '/localName');
  if (alternate === null) return null;
  return conflictProblem(
    'ALTERNATE_ID_TAKEN',
    'This alternate identifier is used by an identifier',
    alternate.record,
    `/alternateIds/${alternate.index}`,
  );
}

/** @param registered the identifier with the requested name; it may be the one with the metadata ID. */
function resolveMetadataConflict(
  existing: IdentifierRecord,
  registered: IdentifierRecord | null,
  command: MintCommand,
): MintResult {
  const { guid, localName, onExisting } = command;
  // Returning a different identifier would look like success.
  const isOther = (guid !== null || localName !== null) && registered?.id !== existing.id;
  if (onExisting !== 'reject' && !isOther) {
    const found = { record: existing, metadataRecord: null };
    if (onExisting === 'update') return { ...found, outcome: 'toUpdate' };
    return { ...found, outcome: 'existing', ignored: ignoredMembers(command, existing) };
  }
  return conflictProblem('METADATA_ID_TAKEN', 'This metadata ID is used by an identifier', existing, '/metadataId');
}
