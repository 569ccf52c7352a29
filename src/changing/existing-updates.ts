import { type GivenTexts, TEXTS } from '../registry/members.js';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { ChangeEngine } from './change-engine.js';
import type { TargetedChange } from './change-plan.js';
import type { ParsedValues } from './curation-command.js';
import { RecordBudget } from '../minting/found-records.js';
import type { MintJob, MintResult } from '../minting/mint-outcome.js';
import type { UpdatingMints } from '../minting/mint-turns.js';
import { Problem, invalidValue } from '../problem/problem.js';
import { type CanonicalName, canonicalNameOf } from '../registry/canonical-name.js';
import { type IdentifierRecord, identifierOf } from '../registry/identifier-record.js';
import { ignoredMembers } from '../registry/ignored-members.js';
import { denotes } from '../registry/key-collision.js';
import { requireState } from '../registry/lifecycle.js';
import type { MintCommand } from '../registry/mint-command.js';
import { Stale } from '../storage/conflict-retries.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import type { LockedIdentifiers } from '../storage/identifiers/identifier-updater.js';
import { NameHolders } from '../storage/identifiers/name-holders.js';
import type { Queryable } from '../storage/transactions.js';

/** Maximum size of the records that one transaction reads and changes, in bytes. */
const MAX_BYTES = 16_777_216;

const SLICE = 500;

/** A mint whose metadata ID exists, with the identifier that has it. */
export interface FoundMint {
  readonly job: MintJob;
  readonly id: bigint;
}

/** The mints that must update the identifier that has their metadata ID. */
export function foundIn(results: ReadonlyMap<MintJob, MintResult>): FoundMint[] {
  return [...results].flatMap(([job, result]) =>
    !(result instanceof Problem) && result.outcome === 'toUpdate' ? [{ job, id: result.record.id }] : [],
  );
}

/** Gives existing identifiers the values of mints with `onExisting: "update"`, by the rules of `PATCH`. */
@Injectable()
export class ExistingUpdates {
  constructor(
    private readonly engine: ChangeEngine,
    private readonly holders: NameHolders,
    private readonly reader: IdentifierReader,
  ) {}

  /**
   * Locks the identifiers that mints will update, before their transaction writes anything. The number of a transaction determines its
   * position in the log, so it must be assigned after earlier changes of the same identifiers.
   * @throws Problem INVALID_REQUEST if the records together are too large.
   */
  async lockExisting(transaction: Queryable, jobs: readonly MintJob[]): Promise<LockedIdentifiers | null> {
    const names = updatesIn(jobs).map(({ name }) => name);
    const holders = await this.holders.findHolders(names, transaction);
    const ids = [...new Set(holders.flatMap((holder) => holder?.id ?? []))];
    if (ids.length === 0) return null;
    const bytes = await this.reader.bytesOf(ids, transaction);
    if (bytes > MAX_BYTES) {
      const detail = `the existing identifiers that the items update have ${bytes} bytes together; at most ${MAX_BYTES} are allowed`;
      throw invalidValue('/items', detail);
    }
    return this.engine.lock(transaction, ids);
  }

  /**
   * Finds the mints that may update an identifier, each with the mints that request an alternate of that identifier.
   * @returns null if no mint may update an identifier, or if there is only one mint.
   */
  async findUpdating(jobs: readonly MintJob[], transaction?: Queryable): Promise<UpdatingMints | null> {
    const updates = updatesIn(jobs);
    if (updates.length === 0 || jobs.length === 1) return null;
    const prefixes = new Set(
      updates.flatMap(({ job, name }) => (job.command.sent.includes('alternateIds') ? name.namingAuthority : [])),
    );
    const requested = [...prefixes].flatMap((namingAuthority) =>
      jobs.flatMap((job) =>
        namesOf(job).map((name) => ({ job, name: { namingAuthority, kind: 'alternateId' as const, name } })),
      ),
    );
    const names = requested.length === 0 ? [] : [...updates, ...requested].map(({ name }) => name);
    const ids = (await this.holders.findHolders(names, transaction)).map((holder) => holder?.id);
    const updating = new Map(updates.map(({ job }) => [job, new Set<MintJob>()]));
    // The first update of an identifier is its last entry, which replaces the entries of later updates.
    const byId = new Map(updates.map(({ job }, index) => [ids[index], updating.get(job)] as const).reverse());
    byId.delete(undefined);
    for (const [index, { job }] of requested.entries()) byId.get(ids[updates.length + index])?.add(job);
    return updating;
  }

  /** Updates the identifiers of a transaction that also mints, and replaces their results. @throws Stale to repeat the transaction. */
  async applyWithin(
    transaction: Queryable,
    locked: LockedIdentifiers | null,
    results: Map<MintJob, MintResult>,
    principal: Principal,
  ): Promise<void> {
    const found = foundIn(results);
    if (found.length === 0) return;
    // Another transaction minted the identifier after the lock.
    if (locked === null) throw new Stale();
    const budget = new RecordBudget();
    for (const [job, result] of await this.apply(transaction, locked, found, principal))
      results.set(job, budget.reduce(result));
  }

  /**
   * @returns a result for each mint: the updated identifier, or a Problem as `ChangePlan.add` throws.
   * @throws Stale if an identifier is not locked or has lost its metadata ID, or if an expired reservation has a requested name.
   */
  async apply(
    transaction: Queryable,
    locked: LockedIdentifiers,
    found: readonly FoundMint[],
    principal: Principal,
  ): Promise<Map<MintJob, MintResult>> {
    const isKnown = knownIn(locked);
    if (!found.every(isKnown)) throw new Stale();
    const results = new Map<MintJob, MintResult>();
    const [first] = found;
    if (first === undefined) return results;
    // All mints of a transaction belong to one request, so they share one view of the naming authorities.
    const known = principal.viewOf(first.job.known);
    for (let from = 0; from < found.length; from += SLICE) {
      const changes = found.slice(from, from + SLICE).map(({ job, id }) => ({ job, target: targetOf(job, id) }));
      const targets = changes.map(({ target }) => target);
      const plan = await this.engine.plan(transaction, locked, targets, { known, principal });
      for (const { job, target } of changes) {
        const change = plan.attempt(target);
        if (change instanceof Problem) results.set(job, change);
        else {
          const ignored = ignoredMembers(job.command, change.after);
          results.set(job, { outcome: 'updated', record: change.after, metadataRecord: null, ignored });
        }
      }
      await this.engine.write(transaction, principal, plan);
    }
    return results;
  }
}

/** The mints that may update an identifier, each with the metadata ID by which the identifier is found. */
function updatesIn(jobs: readonly MintJob[]) {
  return jobs.flatMap((job) => {
    const { namingAuthority, metadata, onExisting } = job.command;
    const authority = job.known.find(namingAuthority);
    if (onExisting !== 'update' || metadata === null || authority === undefined) return [];
    return [{ job, name: { namingAuthority: authority.prefix, kind: 'metadataId' as const, name: metadata } }];
  });
}

/** The names of a mint that can be alternates of another identifier. */
function namesOf({ known, command: { namingAuthority, guid, localName, alternates } }: MintJob): CanonicalName[] {
  const authority = known.find(namingAuthority);
  const own = guid ?? localName;
  if (authority === undefined || own === null) return [...alternates];
  const name = identifierOf({ namingAuthority: authority.prefix, guid, localName: own });
  return [...alternates, canonicalNameOf(name, { foldsCase: authority.caseInsensitive })];
}

/** Whether the identifier of a mint is locked and still has its metadata ID. */
export function knownIn({ records }: LockedIdentifiers): (found: FoundMint) => boolean {
  const byId = new Map(records.map((record) => [record.id, record]));
  return ({ job: { command }, id }) => {
    const metadataId = byId.get(id)?.metadataId ?? null;
    return metadataId !== null && command.metadata !== null && denotes(metadataId, command.metadata);
  };
}

function targetOf({ command }: MintJob, id: bigint): TargetedChange {
  const step = { step: 'changed' as const, values: valuesOf(command) };
  const check = (record: IdentifierRecord): void => {
    requireState(record, 'changed');
  };
  return { id, metadata: null, step, otherId: null, check };
}

function valuesOf(command: MintCommand): ParsedValues {
  const { sent, alternates } = command;
  const given = TEXTS.flatMap(({ name }) => (sent.includes(name) ? [[name, command[name]]] : []));
  return {
    ...(Object.fromEntries(given) as GivenTexts),
    ...(sent.includes('alternateIds') && { alternates }),
  };
}
