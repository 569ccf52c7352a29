import { Injectable } from '@nestjs/common';
import { type MintOutcome, Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import type { Minted } from './minted.js';
import type { MintOrder } from './mint-order.js';

/** Counts what became of mints, once it is sure. */
@Injectable()
export class MintCounts {
  constructor(private readonly metrics: Metrics) {}

  /** @param results what became of each order, in the same order. */
  count(orders: readonly MintOrder[], results: readonly (Minted | Problem)[]): void {
    // Counted together first: a label is looked up in longer than an identifier is drawn.
    const counts = new Map<string, Map<MintOutcome, number>>();
    for (const [index, { namingAuthority }] of orders.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      const created = result instanceof Problem ? namingAuthority : result.record.namingAuthority;
      const outcome = outcomeOf(result);
      const under = counts.get(created) ?? new Map<MintOutcome, number>();
      counts.set(created, under.set(outcome, (under.get(outcome) ?? 0) + 1));
    }
    for (const [created, under] of counts) {
      for (const [outcome, count] of under) this.metrics.minted(created, outcome, count);
    }
  }
}

function outcomeOf(result: Minted | Problem): MintOutcome {
  if (result instanceof Problem) return 'refused';
  return result.outcome === 'found' ? 'replayed' : result.outcome;
}
