import { Injectable } from '@nestjs/common';
import { type MintOutcomeLabel, Metrics } from '../../metrics/metrics.js';
import { Problem } from '../../problem/problem.js';
import type { MintOutcome } from './mint-outcome.js';
import type { MintCommand } from '../../registry/mint-command.js';

@Injectable()
export class MintMetrics {
  constructor(private readonly metrics: Metrics) {}

  /** @param results the result of each command, in the same order. */
  count(commands: readonly MintCommand[], results: readonly (MintOutcome | Problem)[]): void {
    // Aggregated first, because a label look-up takes longer than minting an identifier.
    const counts = new Map<string, Map<MintOutcomeLabel, number>>();
    for (const [index, { namingAuthority }] of commands.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      const created = result instanceof Problem ? namingAuthority : result.record.namingAuthority;
      const outcome = outcomeOf(result);
      const under = counts.get(created) ?? new Map<MintOutcomeLabel, number>();
      counts.set(created, under.set(outcome, (under.get(outcome) ?? 0) + 1));
    }
    for (const [created, under] of counts) {
      for (const [outcome, count] of under) this.metrics.minted(created, outcome, count);
    }
  }
}

function outcomeOf(result: MintOutcome | Problem): MintOutcomeLabel {
  if (result instanceof Problem) return 'refused';
  return result.outcome === 'found' ? 'replayed' : result.outcome;
}
