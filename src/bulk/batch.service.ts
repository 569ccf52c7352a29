import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Charge, MintBudget } from '../access/limits/mint-budget.js';
import type { Principal, RequestContext } from '../access/principal.js';
import { namingAuthorityKey } from '@mintmark/identifier';
import { Problem, type ProblemDetail, invalidRequest } from '../problem/problem.js';
import { type Digest, digestFrom } from '../registry/uuid.js';
import type { MintCommand } from '../registry/mint-command.js';
import { type NamingAuthoritySnapshot, addressIn } from '../registry/naming-authority-snapshot.js';
import { ConflictRetries } from '../storage/conflict-retries.js';
import { IdempotentRequests } from '../storage/idempotency.js';
import { fixNameRulesOf } from '../storage/identifiers/name-rules.js';
import {
  type LockedMetadataId,
  type LockedName,
  lockMetadataIds,
  lockNames,
} from '../storage/identifiers/name-locks.js';
import type { Queryable } from '../storage/transactions.js';
import { type MintJob, type MintResult, type NamedResult, withUnderstood } from '../minting/mint-outcome.js';
import { MintReplays, type RepeatedMint, type StoredResult, serializeResult } from '../minting/mint-replays.js';
import { turnsOf } from '../minting/mint-turns.js';
import { MintingService } from '../minting/minting.service.js';
import { ExistingUpdates } from '../changing/existing-updates.js';
import { type MintItem, type ReceivedItem, chargeOf, inSlices, parseItem, prefixesOf, resultOf } from './mint-item.js';

/** Maximum number of turns of a batch (see `turnsOf`). Each turn needs separate statements. */
const MAX_TURNS = 100;
const TOO_FAR = `depends on more than ${MAX_TURNS} earlier items, each of which depends on the one before: send it in a later request`;

/** Number of items that are parsed before other requests are processed. */
const PARSE_SLICE = 25;

const MAX_ERRORS = 100;

export interface BatchCommand {
  readonly namingAuthority: string | undefined;
  readonly items: readonly ReceivedItem[];
  /** Whether the batch has a `count` instead of items. */
  readonly isCount: boolean;
  /** `atomic`: if an item fails, no item is minted. */
  readonly mode: 'perItem' | 'atomic';
}

export interface BatchResult {
  /** In order of the items. */
  readonly results: readonly NamedResult[];
  readonly replayed: boolean;
}

@Injectable()
export class BatchService {
  constructor(
    private readonly minting: MintingService,
    private readonly requests: IdempotentRequests,
    private readonly replays: MintReplays,
    private readonly budget: MintBudget,
    private readonly updates: ExistingUpdates,
    private readonly retries: ConflictRetries,
  ) {}

  /**
   * Mints a batch, or returns the results of an earlier request with the same idempotency key and content.
   * @throws Problem BATCH_REFUSED in the mode "atomic", the problems of idempotency keys, RATE_LIMITED, and for a batch with `count` the
   * problem of its items.
   */
  async mint(batch: BatchCommand, { principal, idempotencyKey: key, onCharge }: RequestContext): Promise<BatchResult> {
    const known = principal.viewOf(
      await this.minting.knownFor(principal, prefixesOf(batch.items, batch.namingAuthority)),
    );
    const { items, fingerprint } = await parseItems(batch, principal, known);
    requireMinted(
      batch,
      items.map(({ job }) => job),
    );
    const request = key === undefined ? null : { client: principal.client, key, fingerprint };
    const run = async (transaction: Queryable) => {
      const tooMany = this.budget.check(chargeOfNew(items), onCharge);
      if (tooMany !== null) throw tooMany;
      const minted = await this.insert(items, transaction, principal);
      const results = items.map(({ job }) => resultOf(job, minted));
      requireMinted(batch, results);
      // The key must stay unused, because the problem asks for a repeat.
      const open = results.find((result) => result instanceof Problem && result.code === 'CONFLICT_IN_PROGRESS');
      if (request !== null && open instanceof Problem) throw open;
      const overQuota = this.budget.charge(chargeOf(results), onCharge);
      if (overQuota !== null) throw overQuota;
      return { result: minted, stored: request === null ? [] : results.map(serializeResult) };
    };
    const once = await this.retries.run(() => this.requests.runOnce(request, run));
    if (once.replayed)
      return { results: await this.restore(items, once.stored, { known, reader: principal }), replayed: true };
    this.minting.statistics.count(once.result);
    const results = items.map(({ clientRef, job }) => ({ clientRef, result: resultOf(job, once.result) }));
    return { results, replayed: false };
  }

  private async insert(
    items: readonly MintItem[],
    transaction: Queryable,
    principal: Principal,
  ): Promise<ReadonlyMap<MintJob, MintResult>> {
    const jobs = items.flatMap(({ job }) => (job instanceof Problem ? [] : [job]));
    const results = new Map<MintJob, MintResult>();
    const locked = await this.updates.lockExisting(transaction, jobs);
    const updating = await this.updates.findUpdating(jobs, transaction);
    const turns = turnsOf(jobs, ({ command }) => command.previousVersion !== null, updating);
    for (const job of turns.splice(MAX_TURNS).flat())
      results.set(job, invalidRequest('', TOO_FAR, `The item ${TOO_FAR}.`));
    const inTurns = turns.map(inSlices);
    const isDivided = inTurns.flat().length > 1;
    // All names are locked before the first statement, because several statements would lock names in different orders.
    if (locked !== null || isDivided) await lockNames(transaction, jobs.flatMap(namesIn));
    // Items that name each other are not inserted in the order of their metadata keys, so such a batch excludes other batches.
    if (isDivided) await lockMetadataIds(transaction, jobs.flatMap(metadataIdOf), turns.length > 1);
    await fixNameRulesOf(
      transaction,
      jobs.map(({ command }) => command),
    );
    for (const slices of inTurns) {
      for (const slice of slices) {
        for (const [job, result] of await this.minting.mintWithin(transaction, slice)) results.set(job, result);
      }
      await this.updates.applyWithin(transaction, locked, results, principal);
    }
    return results;
  }

  private async restore(
    items: readonly MintItem[],
    stored: readonly StoredResult[],
    view: Pick<MintJob, 'known' | 'reader'>,
  ): Promise<NamedResult[]> {
    const mintOf = (index: number): RepeatedMint => {
      const { job } = items[index] ?? {};
      return { command: job instanceof Problem ? null : (job?.command ?? null), reader: view.reader };
    };
    const results = await this.replays.shown(await this.replays.restore(new Map(stored.entries()), mintOf), () => view);
    return [...results].map(([index, result]) => {
      const { clientRef = null, job } = items[index] ?? {};
      return { clientRef, result: job === undefined || job instanceof Problem ? result : withUnderstood(result, job) };
    });
  }
}

async function parseItems(
  { items: received, namingAuthority, mode }: BatchCommand,
  principal: Principal,
  known: NamingAuthoritySnapshot,
): Promise<{ items: MintItem[]; fingerprint: Digest }> {
  const hash = createHash('sha256').update(JSON.stringify(['POST /identifiers/batch', mode]));
  const claimed = new Map<string, number>();
  const items: MintItem[] = [];
  for (const [index, each] of received.entries()) {
    const item = parseItem(each, namingAuthority, known, principal);
    hash.update(`\n${item.canonical}`);
    const duplicate = item.job instanceof Problem ? null : findDuplicate(item.job.command, index, claimed, known);
    items.push(duplicate === null ? item : { ...item, job: duplicate });
    if (index % PARSE_SLICE === PARSE_SLICE - 1) await nextTurn();
  }
  return { items, fingerprint: digestFrom(hash.digest('hex')) };
}

/** Claims the unique values of an item. `claimed` has the index of the first item with each value. */
function findDuplicate(
  { namingAuthority, metadata, guid, localName, alternates, onExisting }: MintCommand,
  index: number,
  claimed: Map<string, number>,
  known: NamingAuthoritySnapshot,
): Problem | null {
  const under = namingAuthorityKey(namingAuthority);
  const own = guid ?? localName;
  const ownPointer = guid === null ? '/localName' : '/guid';
  const isMatch = onExisting === 'match';
  const ofMetadata = metadata === null ? null : `metadata ${under} ${metadata.comparison}`;
  const authority = known.find(namingAuthority);
  const localKey = authority === undefined || localName === null ? null : addressIn(authority, localName).localKey;
  const ownName = `${under} ${guid ?? localKey ?? localName}`;
  const claims = [
    ...(ofMetadata === null ? [] : [claim('/metadataId', ofMetadata)]),
    ...(ofMetadata !== null && isMatch ? [claim('/metadataId', `matched ${ofMetadata}`, [])] : []),
    ...(own === null ? [] : [claim(ownPointer, `own ${ownName}`, [`own ${ownName}`, `named ${ownName}`])]),
    ...alternates.flatMap(({ key, here }, at) => {
      const pointer = `/alternateIds/${at}`;
      const alternate = claim(pointer, `alternate ${under} ${key}`);
      if (!here?.address) return [alternate];
      // Items of different naming authorities can share an alternate, unless it is the name of another item.
      const name = `${namingAuthorityKey(here.namingAuthority)} ${here.address.guid ?? here.address.localKey}`;
      return [alternate, claim(pointer, `named ${name}`, [`own ${name}`])];
    }),
  ];
  // The first item with this metadata ID is minted, and this item is compared with its identifier.
  const first = isMatch ? claimed.get(`matched ${ofMetadata}`) : undefined;
  const isCompared = first !== undefined && first === claimed.get(ofMetadata ?? '');
  const duplicate = isCompared ? undefined : claims.find(({ taken }) => taken.some((key) => claimed.has(key)));
  for (const { key } of claims) if (!claimed.has(key)) claimed.set(key, index);
  if (duplicate === undefined) return null;
  const { pointer } = duplicate;
  const duplicateOf = Math.min(...duplicate.taken.map((key) => claimed.get(key) ?? index));
  const detail = `conflicts with item ${duplicateOf} of the request (counted from 0)`;
  return new Problem('DUPLICATE_IN_REQUEST', `${pointer}: ${detail}.`, {
    errors: [{ pointer, detail }],
    members: { duplicateOf },
  });
}

/** @param taken the keys of earlier claims that conflict with this claim. */
function claim(pointer: string, key: string, taken = [key]): { pointer: string; key: string; taken: string[] } {
  return { pointer, key, taken };
}

/** The names that a mint registers or claims. A name that does not match the profile of the naming authority is rejected later. */
function namesIn({ command: { namingAuthority, guid, localName, alternates }, known }: MintJob): LockedName[] {
  const authority = known.find(namingAuthority);
  const own = authority?.profile === 'cordra' ? guid : localName;
  return [
    ...(authority === undefined || own === null ? [] : [{ address: addressIn(authority, own), isClaim: false }]),
    ...alternates.flatMap(({ here }) => (here?.address ? [{ address: here.address, isClaim: true }] : [])),
  ];
}

function metadataIdOf({ command: { namingAuthority, metadata } }: MintJob): LockedMetadataId[] {
  return metadata === null ? [] : [{ namingAuthority, key: metadata.key }];
}

/** Counts the identifiers that a batch certainly creates: one for each item without names, or two with `mintMetadataId`. */
function chargeOfNew(items: readonly MintItem[]): Charge {
  const counts = new Map<string, number>();
  for (const { job } of items) {
    if (job instanceof Problem) continue;
    const { namingAuthority, metadata, guid, localName, alternates, mintMetadataId } = job.command;
    if (metadata !== null || guid !== null || localName !== null || alternates.length > 0) continue;
    const prefix = job.known.find(namingAuthority)?.prefix;
    if (prefix !== undefined) counts.set(prefix, (counts.get(prefix) ?? 0) + (mintMetadataId ? 2 : 1));
  }
  return counts;
}

/** Throws if items failed that had to succeed: all in the mode "atomic" and, because they are equal, all of a `count`. */
function requireMinted({ mode, isCount }: BatchCommand, results: readonly unknown[]): void {
  const rejections = results.flatMap((result, index) =>
    result instanceof Problem ? [{ problem: result, index }] : [],
  );
  const [first] = rejections;
  if (first === undefined) return;
  if (isCount) throw first.problem;
  if (mode !== 'atomic') return;
  const more = rejections.length > 1 ? ` (and ${rejections.length - 1} more)` : '';
  const detail = `Item ${first.index} (counted from 0) was rejected: ${first.problem.detail}${more}`;
  const errors = rejections.slice(0, MAX_ERRORS).flatMap(faultsOf).slice(0, MAX_ERRORS);
  throw new Problem('BATCH_REFUSED', detail, { errors });
}

function faultsOf({ problem, index }: { problem: Problem; index: number }): ProblemDetail[] {
  const { code, detail, extensions } = problem;
  const errors = extensions.errors?.length ? extensions.errors : [{ pointer: '', detail }];
  return errors.map((error) => ({ code, ...error, pointer: `/items/${index}${error.pointer}` }));
}
