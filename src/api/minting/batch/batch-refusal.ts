import { Problem, type ProblemDetail } from '../../../problem/problem.js';

/**
 * Rejects an atomic batch.
 * @param results the result or request of each item.
 * @throws Problem BATCH_REFUSED with the faults of all failed items, their pointers relative to the whole request.
 */
export function requireNoRefusal(results: readonly unknown[]): void {
  const refusals = results.flatMap((result, index) => (result instanceof Problem ? [{ problem: result, index }] : []));
  const [first] = refusals;
  if (first === undefined) return;
  const more = refusals.length > 1 ? ` (and ${refusals.length - 1} more)` : '';
  const detail = `Item ${first.index} (counted from 0) was rejected: ${first.problem.detail}${more}`;
  throw new Problem('BATCH_REFUSED', detail, { errors: refusals.flatMap(faultsOf) });
}

function faultsOf({ problem, index }: { problem: Problem; index: number }): ProblemDetail[] {
  const { code, detail, extensions } = problem;
  const errors = extensions.errors?.length ? extensions.errors : [{ pointer: '', detail }];
  return errors.map((error) => ({ code, ...error, pointer: `/items/${index}${error.pointer}` }));
}
