import { Injectable } from '@nestjs/common';
import type { Actor } from '../registry/change.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { Stale } from '../storage/conflict-retries.js';
import { requireNameRules } from '../storage/identifiers/name-rules.js';
import { IdentifierReader, type PairedRecords } from '../storage/identifiers/identifier-reader.js';
import { IdentifierUpdater, type LockedIdentifiers } from '../storage/identifiers/identifier-updater.js';
import { NameHolders, type UniqueName } from '../storage/identifiers/name-holders.js';
import { lockNames } from '../storage/identifiers/name-locks.js';
import type { Queryable } from '../storage/transactions.js';
import {
  ChangePlan,
  type ClaimedName,
  type Holders,
  type PlanContext,
  type TargetedChange,
  claimsOf,
  holderKey,
  idsOf,
  namedIn,
  namesOf,
  roundsOf,
} from './change-plan.js';
import type { PreviewedChanges } from './previewed-changes.js';

export type ChangeContext = Omit<PlanContext, 'now'>;

/** Executes every change of identifiers that a request makes, from a single PATCH to a chunk of a stream. */
@Injectable()
export class ChangeEngine {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly updater: IdentifierUpdater,
    private readonly holders: NameHolders,
  ) {}

  /** Locks identifiers. Must precede the first write, which gives the transaction its position in the log. */
  async lock(transaction: Queryable, ids: readonly bigint[]): Promise<LockedIdentifiers> {
    return this.updater.lock(transaction, ids);
  }

  /** Locks the identifiers of changes, and plans the changes. @throws Stale */
  async begin(transaction: Queryable, targets: readonly TargetedChange[], context: ChangeContext): Promise<ChangePlan> {
    const named = await this.holdersOf(namedIn(targets), transaction);
    const locked = await this.lock(transaction, idsOf(targets, named));
    return this.plan(transaction, locked, targets, context);
  }

  /** Plans changes of locked identifiers. @throws Stale */
  async plan(
    transaction: Queryable,
    locked: LockedIdentifiers,
    targets: readonly TargetedChange[],
    context: ChangeContext,
  ): Promise<ChangePlan> {
    const holders = await this.holdersFor(targets, locked.records, transaction);
    return new ChangePlan(locked, holders, { ...context, now: locked.now });
  }

  /** Plans changes; takes no locks and writes nothing. */
  async preview(
    targets: readonly TargetedChange[],
    earlier: PreviewedChanges,
    context: ChangeContext,
  ): Promise<ChangePlan> {
    const named = await this.holdersOf(namedIn(targets));
    earlier.overlay(named);
    const ids = idsOf(targets, named);
    const found: PairedRecords = earlier.changed(await this.reader.findPaired(ids, await this.reader.findPairs(ids)));
    const holders = await this.holdersFor(targets, found.records);
    earlier.overlay(holders);
    return new ChangePlan(found, holders, { ...context, now: new Date() });
  }

  async write(transaction: Queryable, actor: Actor, plan: ChangePlan): Promise<void> {
    await requireNameRules(
      transaction,
      plan.changes.map(({ amendment }) => amendment),
    );
    for (const round of roundsOf(plan.changes)) await this.updater.write(transaction, actor, plan.now, round);
  }

  /** @throws Stale if the identifier that a metadata ID names is not locked, or as `holdersOf` does. */
  private async holdersFor(
    targets: readonly TargetedChange[],
    records: readonly IdentifierRecord[],
    transaction?: Queryable,
  ): Promise<Holders> {
    const byId = new Map(records.map((record) => [record.id, record]));
    const claims: ClaimedName[] = [];
    const seen = new Set<bigint>();
    const isAnyNamed = namedIn(targets).length > 0;
    const requested = targets.flatMap(({ id, metadata, step }): UniqueName[] => {
      const record = byId.get(id ?? 0n) ?? {
        ...{ namingAuthority: metadata?.namingAuthority ?? '', guid: null, localName: '', alternateIds: [] },
      };
      // An earlier change can remove an alternate of the record, which this change would then claim again.
      const isFirst = !isAnyNamed && id !== null && !seen.has(id);
      if (id !== null) seen.add(id);
      const ofStep = claimsOf(step, isFirst ? record : { ...record, alternateIds: [] });
      claims.push(...ofStep);
      return [...namesOf(step, record.namingAuthority), ...ofStep, ...(metadata === null ? [] : [metadata])];
    });
    const names = new Map(requested.map((name) => [holderKey(name), name]));
    if (transaction !== undefined && claims.length > 0)
      await lockNames(
        transaction,
        claims.map(({ address }) => ({ address, isClaim: true })),
      );
    const holders = await this.holdersOf([...names.values()], transaction);
    const subjects = namedIn(targets).flatMap((name) => holders.get(holderKey(name))?.id ?? []);
    if (transaction !== undefined && subjects.some((id) => !byId.has(id))) throw new Stale();
    return holders;
  }

  /** Finds the holders of names. @throws Stale if expired reservations must release names first. A preview treats such names as free. */
  private async holdersOf(names: readonly UniqueName[], transaction?: Queryable): Promise<Holders> {
    if (names.length === 0) return new Map();
    const found = await this.holders.findHolders(names, transaction);
    const expired = found.flatMap((holder) => (holder?.isExpired === true ? [holder.id] : []));
    if (expired.length > 0 && transaction !== undefined) throw new Stale(expired);
    return new Map(
      names.map((name, index) => {
        const holder = found[index] ?? null;
        return [holderKey(name), holder?.isExpired === true ? null : holder];
      }),
    );
  }
}
