import type { MintBudget } from '../access/mint-budget.js';
import { Problem } from '../problem/problem.js';
import type { MintItem } from './mint-item.js';

/**
 * Counts what a batch is about to mint, under each naming authority, as if it were one request.
 * @throws Problem RATE_LIMITED
 */
export async function chargeTogether(items: readonly MintItem[], budget: MintBudget): Promise<void> {
  const refused = await budget.chargeEach(countsOf(items), null);
  for (const problem of refused.values()) throw problem;
}

/** Counts what lines of a stream are about to mint; those of a naming authority that has no more left are refused. */
export async function chargeLines<T extends MintItem>(items: readonly T[], budget: MintBudget): Promise<readonly T[]> {
  const refused = await budget.chargeEach(countsOf(items), null);
  if (refused.size === 0) return items;
  return items.map((item) => {
    const problem = item.asks instanceof Problem ? undefined : refused.get(item.asks.namingAuthority);
    return problem === undefined ? item : { ...item, asks: problem };
  });
}

function countsOf(items: readonly MintItem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { asks } of items) {
    if (asks instanceof Problem) continue;
    const { namingAuthority, mintMetadataId } = asks;
    counts.set(namingAuthority, (counts.get(namingAuthority) ?? 0) + (mintMetadataId ? 2 : 1));
  }
  return counts;
}
