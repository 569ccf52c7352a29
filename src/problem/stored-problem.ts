import type { ProblemCode } from './catalogue.js';
import { Problem, type ProblemDetail } from './problem.js';

/** A problem in a stored result. Extension members are beside its code; its document also has the path of a request. */
export interface StoredProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly ProblemDetail[];
  readonly [member: string]: unknown;
}

export function serializeProblem({ code, detail, extensions: { errors, members } }: Problem): StoredProblem {
  return { code, detail, ...(errors !== undefined && { errors }), ...members };
}

/** The inverse of `serializeProblem`, without the headers of the response. */
export function deserializeProblem({ code, detail, errors, ...members }: StoredProblem): Problem {
  return new Problem(code, detail, { ...(errors !== undefined && { errors }), members });
}
