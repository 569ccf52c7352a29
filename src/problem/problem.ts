import type { SyntaxFault } from '../identifier/index.js';
import type { ProblemCode } from './catalogue.js';

/** One fault inside a request. */
export interface ProblemDetail {
  /** JSON Pointer (RFC 6901) into the body, or `#query/name`, `#path/name`, `#header/name` for the other parts. */
  readonly pointer: string;
  readonly detail: string;
  /** For a malformed identifier: the syntax code, and the offset in UTF-16 code units where the text broke. */
  readonly code?: ProblemCode;
  readonly offset?: number;
}

/** What a problem carries beside its code and its sentence. */
export interface ProblemFacts {
  readonly errors?: readonly ProblemDetail[];
  /** Members of the problem document of this kind alone (RFC 9457 3.2), such as a link to the identifier in the way. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A refusal with a code of the catalogue. Features throw it; the filter alone knows that it becomes an HTTP answer.
 */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly facts: ProblemFacts = {},
  ) {
    super(`${code}: ${detail}`);
  }
}

/**
 * The refusal of a malformed identifier: the syntax core's code, sentence and offset, told of one part of a request.
 * @param pointer where the identifier stood, as in `ProblemDetail`.
 */
export function malformed(fault: SyntaxFault, pointer: string): Problem {
  const { code, detail, offset } = fault;
  return new Problem(code, detail, { errors: [{ pointer, detail, code, offset }], members: { offset } });
}
