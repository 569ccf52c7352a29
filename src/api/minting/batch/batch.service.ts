import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../access/principal.js';
import { MintBudget } from '../../../access/mint-budget.js';
import { Problem } from '../../../problem/problem.js';
import type { Actor } from '../../../registry/change.js';
import type { Digest } from '../../../registry/digest.js';
import { IdentifierReader } from '../../../storage/identifiers/identifier-reader.js';
import { NamingAuthorityCache } from '../../../storage/naming-authorities/naming-authority-cache.js';
import { IdempotentRequests } from '../../../storage/idempotency.js';
import type { Queryable } from '../../../storage/transactions.js';
import { type StoredResult, serializeResult, deserializeResults } from './batch-outcome.js';
import { requireNoRefusal } from './batch-refusal.js';
import type { BATCH_MODES, BatchRequestDto } from './batch.dto.js';
import { Duplicates } from './duplicates.js';
import { chargeBatch } from './charge-rate-limit.js';
import { type MintItem, parseItem } from './mint-item.js';
import type { MintOutcome } from '../mint-outcome.js';
import { MintMetrics } from '../mint-metrics.js';
import { MintingService } from '../minting.service.js';

/** Items that are parsed before other requests continue. */
const READ_SLICE = 100;

/** Items per statement; all statements share one transaction. */
const MINT_SLICE = 500;

export interface Batch {
  readonly request: BatchRequestDto;
  readonly mode: (typeof BATCH_MODES)[number];
  readonly actor: Principal;
  readonly key: string | undefined;
}

export interface BatchResult {
  readonly items: readonly Pick<MintItem, 'clientRef'>[];
  readonly results: readonly (MintOutcome | Problem)[];
  readonly replayed: boolean;
}

@Injectable()
export class BatchService {
  constructor(
    private readonly minting: MintingService,
    private readonly outcomes: IdempotentRequests,
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorityCache,
    private readonly counts: MintMetrics,
    private readonly budget: MintBudget,
  ) {}

  /**
   * Mints a batch once.
   * @throws Problem BATCH_REFUSED in the mode "atomic", the problems of idempotency keys, RATE_LIMITED, and for a batch
   * with `count` UNKNOWN_NAMING_AUTHORITY and SUSPENDED_NAMING_AUTHORITY.
   */
  async mint(batch: Batch): Promise<BatchResult> {
    const { request, mode, actor, key } = batch;
    const { items, hash } = await this.read(batch);
    if (mode === 'atomic') requireNoRefusal(items.map(({ command }) => command));
    await chargeBatch(items, this.budget);
    // A transaction may be repeated; only its last attempt counts.
    let fresh: (MintOutcome | Problem)[] = [];
    const { result: outcome, replayed } = await this.outcomes.run<StoredResult[]>(
      key === undefined ? null : { client: actor.client, key, fingerprint: hash },
      async (transaction) => {
        const [first] = items;
        // A principal without a grant must not learn whether a naming authority exists.
        const isForbidden = first?.command instanceof Problem && isForbidding(first.command);
        if (request.items === undefined && !isForbidden) {
          await this.authorities.requireActive(request.namingAuthority ?? '');
        }
        fresh = await this.mintItems(items, actor, transaction);
        if (mode === 'atomic') requireNoRefusal(fresh);
        return key === undefined ? [] : fresh.map(serializeResult);
      },
    );
    if (!replayed) {
      const valid = items.flatMap(({ command }, index) => (command instanceof Problem ? [] : [{ command, index }]));
      const results = valid.flatMap(({ index }) => fresh[index] ?? []);
      this.counts.count(
        valid.map(({ command }) => command),
        results,
      );
    }
    return { items, results: replayed ? await deserializeResults(outcome, this.reader) : fresh, replayed };
  }

  private async read({ request, mode, actor }: Batch): Promise<{ items: MintItem[]; hash: Digest }> {
    const known = actor.viewOf(await this.authorities.current());
    const values: readonly unknown[] = request.items ?? Array.from({ length: request.count ?? 0 }, () => ({}));
    const duplicates = new Duplicates(known);
    const hash = createHash('sha256').update(JSON.stringify(['POST /identifiers/batch', mode]));
    const items: MintItem[] = [];
    for (const [index, value] of values.entries()) {
      const item = parseItem(value, request.namingAuthority, known, actor);
      hash.update(`\n${item.canonical}`);
      const duplicate = item.command instanceof Problem ? null : duplicates.find(item.command, index);
      items.push(duplicate === null ? item : { ...item, command: duplicate });
      if (index % READ_SLICE === READ_SLICE - 1) await nextTurn();
    }
    return { items, hash: hash.digest('hex') };
  }

  private async mintItems(
    items: readonly MintItem[],
    actor: Actor,
    transaction: Queryable,
  ): Promise<(MintOutcome | Problem)[]> {
    const results: (MintOutcome | Problem)[] = [];
    for (let from = 0; from < items.length; from += MINT_SLICE) {
      const slice = items.slice(from, from + MINT_SLICE);
      const jobs = slice.flatMap(({ command }) =>
        command instanceof Problem ? [] : [{ command, context: { actor, request: null } }],
      );
      const minted = await this.minting.mintAll(jobs, transaction);
      for (const { command } of slice) {
        const result = command instanceof Problem ? command : minted.shift();
        if (result !== undefined) results.push(result);
      }
    }
    return results;
  }
}

/** Whether a problem concerns the rights of the principal, which takes precedence over other faults. */
function isForbidding({ code }: Problem): boolean {
  return code === 'SCOPE_MISSING' || code === 'NAMING_AUTHORITY_FORBIDDEN';
}
