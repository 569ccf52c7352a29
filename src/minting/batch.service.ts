import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { MintBudget } from '../access/mint-budget.js';
import { Problem } from '../problem/problem.js';
import type { Actor } from '../record/change-log.js';
import type { Digest } from '../record/digest.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { Outcomes, keyReused } from '../record/outcomes.js';
import type { Queryable } from '../record/transactions.js';
import { type KeptResult, keep, recall } from './batch-outcome.js';
import { requireNoRefusal } from './batch-refusal.js';
import type { BATCH_MODES, BatchRequestDto } from './batch.dto.js';
import { Duplicates } from './duplicates.js';
import { chargeTogether } from './charge-items.js';
import { type MintItem, readItem } from './mint-item.js';
import type { Minted } from './minted.js';
import { MintCounts } from './mint-counts.js';
import { MintingService } from './minting.service.js';

/** So many items are read before other requests get their turn. */
const READ_SLICE = 100;

/** So many items are minted by one statement; the transaction is one for all of them. */
const MINT_SLICE = 500;

/** A batch as it was sent. */
export interface Batch {
  readonly request: BatchRequestDto;
  readonly mode: (typeof BATCH_MODES)[number];
  readonly actor: Caller;
  readonly key: string | undefined;
}

/** What became of a batch: for each item, in order. */
export interface BatchResult {
  readonly items: readonly Pick<MintItem, 'clientRef'>[];
  readonly results: readonly (Minted | Problem)[];
  readonly replayed: boolean;
}

/** Mints many identifiers in one transaction. */
@Injectable()
export class BatchService {
  constructor(
    private readonly minting: MintingService,
    private readonly outcomes: Outcomes,
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorities,
    private readonly counts: MintCounts,
    private readonly budget: MintBudget,
  ) {}

  /**
   * Mints a batch once.
   * @throws Problem BATCH_REFUSED in the mode "atomic" when any item is refused, what `Outcomes.once` throws, RATE_LIMITED, and for a
   * batch that is only a count also UNKNOWN_NAMING_AUTHORITY and SUSPENDED_NAMING_AUTHORITY.
   */
  async mint(batch: Batch): Promise<BatchResult> {
    const { request, mode, actor, key } = batch;
    const { items, hash } = await this.read(batch);
    if (mode === 'atomic') requireNoRefusal(items.map(({ asks }) => asks));
    await chargeTogether(items, this.budget);
    // Not every attempt of a transaction is the one that counts; the last one is.
    let fresh: (Minted | Problem)[] = [];
    const { outcome, replayed } = await this.outcomes.once<KeptResult[]>(
      key === undefined ? null : { client: actor.client, key, hash },
      async (transaction) => {
        if (key !== undefined && (await this.reader.hasRequest(actor.client, key, transaction))) throw keyReused();
        const [first] = items;
        // Whether a naming authority exists is not told to whom it is forbidden.
        const isForbidden = first?.asks instanceof Problem && isForbidding(first.asks);
        if (request.items === undefined && !isForbidden) {
          await this.authorities.requireActive(request.namingAuthority ?? '');
        }
        fresh = await this.mintItems(items, actor, transaction);
        if (mode === 'atomic') requireNoRefusal(fresh);
        return key === undefined ? [] : fresh.map(keep);
      },
    );
    if (!replayed) {
      const asked = items.flatMap(({ asks }, index) => (asks instanceof Problem ? [] : [{ order: asks, index }]));
      const ofAsked = asked.flatMap(({ index }) => fresh[index] ?? []);
      this.counts.count(
        asked.map(({ order }) => order),
        ofAsked,
      );
    }
    return { items, results: replayed ? await recall(outcome, this.reader) : fresh, replayed };
  }

  private async read({ request, mode, actor }: Batch): Promise<{ items: MintItem[]; hash: Digest }> {
    const known = await this.authorities.current();
    const values: readonly unknown[] = request.items ?? Array.from({ length: request.count ?? 0 }, () => ({}));
    const duplicates = new Duplicates(known);
    const hash = createHash('sha256').update(JSON.stringify(['POST /identifiers/batch', mode]));
    const items: MintItem[] = [];
    for (const [index, value] of values.entries()) {
      const item = readItem(value, request.namingAuthority, known, actor);
      hash.update(`\n${item.meaning}`);
      const duplicate = item.asks instanceof Problem ? null : duplicates.find(item.asks, index);
      items.push(duplicate === null ? item : { ...item, asks: duplicate });
      if (index % READ_SLICE === READ_SLICE - 1) await nextTurn();
    }
    return { items, hash: hash.digest('hex') };
  }

  private async mintItems(
    items: readonly MintItem[],
    actor: Actor,
    transaction: Queryable,
  ): Promise<(Minted | Problem)[]> {
    const results: (Minted | Problem)[] = [];
    for (let from = 0; from < items.length; from += MINT_SLICE) {
      const slice = items.slice(from, from + MINT_SLICE);
      const jobs = slice.flatMap(({ asks }) =>
        asks instanceof Problem ? [] : [{ order: asks, asked: { actor, request: null } }],
      );
      const minted = await this.minting.mintAll(jobs, transaction);
      for (const { asks } of slice) {
        const result = asks instanceof Problem ? asks : minted.shift();
        if (result !== undefined) results.push(result);
      }
    }
    return results;
  }
}

/** Whether a problem says that the caller may not do this, whatever else is the matter. */
function isForbidding({ code }: Problem): boolean {
  return code === 'SCOPE_MISSING' || code === 'NAMING_AUTHORITY_FORBIDDEN';
}
