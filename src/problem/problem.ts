import type { SyntaxFault } from '@mintmark/identifier';
import type { ProblemCode } from './catalogue.js';

export interface ProblemDetail {
  /** JSON Pointer (RFC 6901) into the body, or `#query/name`, `#path/name` or `#header/name` with the same escapes. */
  readonly pointer: string;
  readonly detail: string;
  readonly code?: ProblemCode;
  /** The position of the fault, in UTF-16 code units. */
  readonly offset?: number;
  /** The number of the violated rule, such as "CID-10". */
  readonly rule?: string;
}

export interface ProblemExtensions {
  readonly errors?: readonly ProblemDetail[];
  /** Extension members (RFC 9457 3.2), such as a link to the conflicting identifier. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if a read failed, so that outage logging concludes nothing about writes. */
  readonly isOfRead?: boolean;
  /** Members of the log line that responses must not have. */
  readonly logged?: Readonly<Record<string, unknown>>;
}

/** An error with a code of the catalogue. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extensions: ProblemExtensions = {},
  ) {
    super(`${code}: ${detail}`);
    // Problems of lines wait in memory until clients read them, and no log shows where a problem was thrown.
    this.stack = this.message;
  }
}

/** Maximum length of a path in a header. Clients and proxies accept 8 or 16 KiB of headers. */
const MAX_PATH_LENGTH = 7168;

/** The headers of a problem. A `Link` (RFC 8288) leads to the conflicting resource, which is the member `existing`. */
export function headersOf({ extensions: { members, headers } }: Problem): Readonly<Record<string, string>> {
  const path = members?.existing;
  const isLinked = typeof path === 'string' && path.length <= MAX_PATH_LENGTH;
  return { ...(isLinked && { link: `<${path}>; rel="related"` }), ...headers };
}

/** Escapes a member name as a step of a JSON Pointer (RFC 6901 3). */
export function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function malformed(fault: Omit<SyntaxFault, 'rule'> & { readonly rule?: string }, pointer: string): Problem {
  const { code, detail, offset, rule } = fault;
  const errors = [{ pointer, detail, code, offset, ...(rule !== undefined && { rule }) }];
  return new Problem(code, detail, { errors, members: { offset } });
}

/** The problem of one invalid value, with its pointer in the summary. */
export function invalidValue(pointer: string, detail: string): Problem {
  return invalidRequest(pointer, detail, `${pointer.replace(/^#query\//, '')}: ${detail}`);
}

/** The problem of one invalid value. `summary` is the detail of the problem, by default the detail of the value. */
export function invalidRequest(pointer: string, detail: string, summary = detail): Problem {
  return new Problem('INVALID_REQUEST', summary, { errors: [{ pointer, detail }] });
}

/** @param limit the limit in bytes. */
export function tooLarge(limit: number): Problem {
  return new Problem('BODY_TOO_LARGE', `The body may have at most ${limit} bytes.`);
}

export function clientGone(): Problem {
  return new Problem('REQUEST_TIMEOUT', 'The client closed the connection before the response.');
}

/** The error of a `catch` clause. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** A problem in a stored result. Extension members are next to its code; a response adds the path of its request. */
export interface StoredProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly ProblemDetail[];
  readonly [member: string]: unknown;
}

export function serializeProblem({ code, detail, extensions: { errors, members } }: Problem): StoredProblem {
  return { code, detail, ...(errors !== undefined && { errors }), ...members };
}

/** Restores a stored problem, without the headers of the response. */
export function deserializeProblem({ code, detail, errors, ...members }: StoredProblem): Problem {
  return new Problem(code, detail, { ...(errors !== undefined && { errors }), members });
}
