import type { Metrics, MintOutcomeLabel } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import type { MintJob, MintResult } from './mint-outcome.js';

/** Weight of the last group of mints in the share of replays. */
const LAST_GROUP_WEIGHT = 0.25;

/** Above this share, looking for replays before the insert is faster. */
const LIKELY_REPLAYS = 0.5;

/** Counts mint results in the metrics, and estimates the share of replays. */
export class MintStatistics {
  /** Share of replays and existing identifiers among recent mints; these come in bursts. It only selects which statement runs first. */
  private replayShare = 0;

  constructor(private readonly metrics: Metrics) {}

  get expectsReplays(): boolean {
    return this.replayShare > LIKELY_REPLAYS;
  }

  noteReplays(results: ReadonlyMap<MintJob, MintResult>): void {
    if (results.size === 0) return;
    const replays = [...results.values()].filter((result) => !['created', 'rejected'].includes(labelOf(result))).length;
    this.replayShare += (replays / results.size - this.replayShare) * LAST_GROUP_WEIGHT;
  }

  /** Adds up results before counting them, because each count looks up its labels. `MintBudget` counts the mints that it rejects. */
  count(results: ReadonlyMap<MintJob, MintResult>): void {
    const counts = new Map<string, Map<MintOutcomeLabel, number>>();
    for (const [{ command }, result] of results) {
      if (result instanceof Problem && result.code === 'RATE_LIMITED') continue;
      const label = labelOf(result);
      const under = result instanceof Problem ? command.namingAuthority : result.record.namingAuthority;
      const labels = counts.get(under) ?? new Map<MintOutcomeLabel, number>();
      counts.set(under, labels.set(label, (labels.get(label) ?? 0) + 1));
    }
    for (const [under, labels] of counts) {
      for (const [label, count] of labels) this.metrics.minted(under, label, count);
    }
  }
}

function labelOf(result: MintResult): MintOutcomeLabel {
  if (result instanceof Problem) return 'rejected';
  if (result.outcome === 'found') return 'replayed';
  return result.outcome === 'created' || result.outcome === 'replayed' ? result.outcome : 'existing';
}
