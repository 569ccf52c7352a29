import type { MintBudget } from '../../../access/mint-budget.js';
import { Problem } from '../../../problem/problem.js';
import type { MintItem } from './mint-item.js';

/**
 * Charges a batch to the rate limits of its naming authorities, as one request.
 * @throws Problem RATE_LIMITED
 */
export async function chargeBatch(items: readonly MintItem[], budget: MintBudget): Promise<void> {
  const refused = await budget.chargeEach(countsOf(items), null);
  for (const problem of refused.values()) throw problem;
}

export async function chargeLines<T extends MintItem>(items: readonly T[], budget: MintBudget): Promise<readonly T[]> {
  const refused = await budget.chargeEach(countsOf(items), null);
  if (refused.size === 0) return items;
  return items.map((item) => {
    const problem = item.command instanceof Problem ? undefined : refused.get(item.command.namingAuthority);
    return problem === undefined ? item : { ...item, command: problem };
  });
}

function countsOf(items: readonly MintItem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { command } of items) {
    if (command instanceof Problem) continue;
    const { namingAuthority, mintMetadataId } = command;
    counts.set(namingAuthority, (counts.get(namingAuthority) ?? 0) + (mintMetadataId ? 2 : 1));
  }
  return counts;
}
