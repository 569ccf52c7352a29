import { Problem, type ProblemDetail } from '../problem/problem.js';

/**
 * Refuses a batch of which nothing may be done unless everything is.
 * @param results what became of each item, or what it asks for.
 * @throws Problem BATCH_REFUSED with the faults of all refused items, their pointers into the whole request.
 */
export function requireNoRefusal(results: readonly unknown[]): void {
  const refusals = results.flatMap((result, index) => (result instanceof Problem ? [{ problem: result, index }] : []));
  const [first] = refusals;
  if (first === undefined) return;
  const more = refusals.length > 1 ? ` (and ${refusals.length - 1} more)` : '';
  const detail = `Item ${first.index}, counted from 0, was refused: ${first.problem.detail}${more}`;
  throw new Problem('BATCH_REFUSED', detail, { errors: refusals.flatMap(faultsOf) });
}

function faultsOf({ problem, index }: { problem: Problem; index: number }): ProblemDetail[] {
  const { code, detail, facts } = problem;
  const errors = facts.errors?.length ? facts.errors : [{ pointer: '', detail }];
  return errors.map((error) => ({ code, ...error, pointer: `/items/${index}${error.pointer}` }));
}
