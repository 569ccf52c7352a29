import { ApiProperty } from '../openapi/annotations.js';
import { CATALOGUE, PROBLEM_CODES, type ProblemCode } from './catalogue.js';
import type { Problem } from './problem.js';

/** One fault inside a request. */
export class ProblemDetailDto {
  /**
   * Where the fault is: a JSON Pointer (RFC 6901) into the body, or `#query/…`, `#path/…`, `#header/…`.
   * @example "/metadataId"
   */
  pointer: string;

  /**
   * What was found and what was expected.
   * @example "expected 32 hexadecimal digits, found 31"
   */
  detail: string;

  /** For a malformed identifier: the syntax code. */
  @ApiProperty({ enum: PROBLEM_CODES, enumName: 'ProblemCode', required: false })
  code?: ProblemCode;

  /**
   * For a malformed identifier: where it broke, counted in UTF-16 code units.
   * @example 8
   */
  @ApiProperty({ type: 'integer', required: false })
  offset?: number;
}

/** What is left of a withdrawn identifier. */
export class ProblemTombstoneDto {
  /** When it was withdrawn, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  withdrawnAt: string;

  /**
   * Why, in words for people.
   * @example "The object was deposited twice."
   */
  reason: string;

  /**
   * The identifier to use instead, if there is one.
   * @example "100.102/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  replacedBy: string | null;
}

/** The answer to every request that failed: a problem document (RFC 9457), `application/problem+json`. */
export class ProblemDocumentDto {
  /**
   * Reference to the description of this kind of problem.
   * @example "/problems/INVALID_REQUEST"
   */
  type: string;

  /**
   * The same short sentence for every problem with this code.
   * @example "The request does not have the expected shape."
   */
  title: string;

  /**
   * The HTTP status.
   * @example 400
   */
  @ApiProperty({ type: 'integer' })
  status: number;

  /**
   * What went wrong this time, and what to do.
   * @example "namingAuthority must be a string"
   */
  detail: string;

  /**
   * The path that was requested.
   * @example "/identifiers"
   */
  instance: string;

  /** What to switch over; the list is closed and documented in docs/errors.md. */
  @ApiProperty({ enum: PROBLEM_CODES, enumName: 'ProblemCode' })
  code: ProblemCode;

  /** The faults one by one, where there is more to say than `detail` does. */
  errors?: ProblemDetailDto[];

  /**
   * For a malformed identifier: where it broke, counted in UTF-16 code units.
   * @example 8
   */
  @ApiProperty({ type: 'integer', required: false })
  offset?: number;

  /**
   * For a conflict: the path of the identifier or naming authority that is in the way.
   * @example "/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  existing?: string;

  /**
   * For an item that asks for the same as another one of its request: the index of that one, counted from 0.
   * @example 3
   */
  @ApiProperty({ type: 'integer', required: false })
  duplicateOf?: number;

  /**
   * For a withdrawn identifier: the identifier, `NA/local`.
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  identifier?: string;

  /** For a withdrawn identifier: when, why, and what replaces it. */
  @ApiProperty({ type: () => ProblemTombstoneDto, required: false })
  tombstone?: ProblemTombstoneDto;
}

/**
 * Writes a problem as a document.
 * @param instance the path of the request that failed.
 */
export function problemDocument(problem: Problem, instance: string): ProblemDocumentDto {
  const { status, title } = CATALOGUE[problem.code];
  return {
    type: `/problems/${problem.code}`,
    title,
    status,
    detail: problem.detail,
    instance,
    code: problem.code,
    ...(problem.facts.errors === undefined ? {} : { errors: [...problem.facts.errors] }),
    ...problem.facts.members,
  };
}
