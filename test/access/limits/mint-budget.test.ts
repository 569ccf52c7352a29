import { describe, expect, it } from '@jest/globals';
import { MintBudget } from '../../../src/access/limits/mint-budget.js';
import type { TakeResult } from '../../../src/access/limits/token-buckets.js';
import { Metrics } from '../../../src/metrics/metrics.js';

const budgetOf = (perMinute: number) => new MintBudget(new Metrics(), perMinute);
const counts = (...pairs: [string, number][]) => new Map(pairs);

describe('the quota of naming authorities', () => {
  it('is charged for all naming authorities of a batch or for none, and the rejection has the longest wait', () => {
    const budget = budgetOf(60);
    expect(budget.charge(counts(['a', 50], ['b', 30]))).toBeNull();
    const reports: TakeResult[] = [];
    const rejection = budget.charge(counts(['b', 40], ['c', 60], ['a', 30]), (_, taken) => reports.push(taken));
    expect([rejection?.code, rejection?.extensions.headers]).toEqual(['RATE_LIMITED', { 'retry-after': '20' }]);
    expect(reports).toMatchObject([{ ok: false, remaining: 10, retryAfter: 20 }]);
    expect(budget.charge(counts(['a', 10], ['b', 30], ['c', 60]))).toBeNull();
  });

  it('is not charged for nothing, and without a limit never', () => {
    const reports: unknown[] = [];
    const report = (...args: unknown[]) => void reports.push(args);
    expect(budgetOf(1).charge(counts(), report)).toBeNull();
    expect(budgetOf(0).charge(counts(['a', 10_000]), report)).toBeNull();
    expect(reports).toEqual([]);
  });
});
