import { Injectable } from '@nestjs/common';
import { keyReused } from '../storage/idempotency-key.js';
import { type KeyedMint, RequestResults } from '../storage/request-results.js';
import { Transactions } from '../storage/transactions.js';
import type { DecidedMint, MintJob, MintResult } from './mint-outcome.js';
import { MintReplays, type StoredResult } from './mint-replays.js';

/** Refused mints, whose requests may have a result from earlier: a replay takes precedence over a refusal. */
@Injectable()
export class RefusedMints {
  constructor(
    private readonly results: RequestResults,
    private readonly replays: MintReplays,
    private readonly transactions: Transactions,
  ) {}

  /** Refused mints with the results of earlier requests with their keys. Many mints need as many statements as one. */
  async replace(refused: readonly DecidedMint[]): Promise<DecidedMint[]> {
    const found = await this.findEarlier(refused.map(({ job }) => job));
    const earlier = await this.replays.shown(found, (job) => job);
    if (earlier.size > 0) await this.transactions.waitForStandby();
    return refused.map(({ job, result }) => ({ job, result: earlier.get(job) ?? result }));
  }

  /** Without those that are the first with their key; IDEMPOTENCY_KEY_REUSED as a value. */
  private async findEarlier(jobs: readonly MintJob[]): Promise<Map<MintJob, MintResult>> {
    const keyed = jobs.flatMap((job) => {
      const { actor, request } = job.context;
      return request === null ? [] : [{ job, mint: { client: actor.client, ...request } }];
    });
    const mints: readonly KeyedMint[] = keyed.map(({ mint }) => mint);
    const minted = await this.results.findMinted(mints);
    const uses = await this.results.find(mints);
    const results = new Map<MintJob, MintResult>();
    const replayed = new Map<MintJob, StoredResult>();
    const found = new Map<MintJob, string>();
    for (const [index, { job, mint }] of keyed.entries()) {
      const own = minted[index] ?? null;
      const { outcome = null, isOther = false } = uses[index] ?? {};
      const hash = own?.hash ?? outcome?.hash;
      if (own === null && isOther) results.set(job, keyReused());
      else if (hash === undefined) continue;
      else if (hash !== mint.fingerprint) results.set(job, keyReused());
      else if (own !== null) replayed.set(job, { outcome: 'replayed', ...own.ids });
      else if (outcome !== null) found.set(job, outcome.text);
    }
    for (const [job, result] of await this.replays.restore(replayed)) results.set(job, result);
    for (const [job, result] of await this.replays.readAll(found)) results.set(job, result);
    return results;
  }
}
