import { ApiProperty } from '../openapi/annotations.js';
import { CATALOGUE, PROBLEM_CODES, type ProblemCode } from './catalogue.js';
import type { Problem, ProblemDetail } from './problem.js';

/** One fault inside a request; exactly one of `pointer`, `parameter` and `header` tells where it is. */
export class ProblemDetailDto {
  /**
   * A JSON Pointer (RFC 6901) into the body.
   * @example "/metadataId"
   */
  pointer?: string;

  /**
   * The name of a parameter of the path or of the query.
   * @example "limit"
   */
  parameter?: string;

  /**
   * The name of a header of the request.
   * @example "If-Match"
   */
  header?: string;

  /**
   * What was found and what was expected.
   * @example "expected 32 hexadecimal digits, found 31"
   */
  detail: string;

  /** For a malformed identifier: the syntax code. */
  @ApiProperty({ enum: PROBLEM_CODES, enumName: 'ProblemCode', required: false })
  code?: ProblemCode;

  /** For a malformed identifier: the position of the fault, in UTF-16 code units. */
  @ApiProperty({ type: 'integer', required: false })
  offset?: number;

  /** For a malformed identifier: the number of the violated rule. */
  rule?: string;
}

/** The response to every failed request: a problem document (RFC 9457), `application/problem+json`. */
export class ProblemDocumentDto {
  /**
   * The kind of problem; `GET` of this URI returns its `code`, `status` and `title`.
   * @example "/problems/INVALID_REQUEST"
   */
  type: string;

  /**
   * The title, which is the same for every problem with this code.
   * @example "The request does not have the expected format."
   */
  title: string;

  /**
   * The HTTP status.
   * @example 400
   */
  @ApiProperty({ type: 'integer' })
  status: number;

  /**
   * The fault, and what to do about it.
   * @example "namingAuthority must be a string"
   */
  detail: string;

  /**
   * The path that was requested.
   * @example "/identifiers"
   */
  instance: string;

  /**
   * The code of the problem. Codes are never renamed. Later versions can have further codes; treat an unknown code by its `status`. The
   * file docs/reference/errors.md of the source code says what to do about each code.
   */
  @ApiProperty({ enum: PROBLEM_CODES, enumName: 'ProblemCode' })
  code: ProblemCode;

  /** The individual faults, if they contain more than `detail`. */
  errors?: ProblemDetailDto[];

  /** For a malformed identifier: the position of the fault, in UTF-16 code units. */
  @ApiProperty({ type: 'integer', required: false })
  offset?: number;

  /**
   * For a conflict: the path of the existing identifier or naming authority.
   * @example "/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  existing?: string;

  /**
   * For an item that conflicts with another item of the request: the index of that item, counted from 0.
   * @example 3
   */
  @ApiProperty({ type: 'integer', required: false })
  duplicateOf?: number;

  /** The withdrawn identifier, or the existing identifier with which the request conflicts, as `NA/local`. */
  identifier?: string;

  /** For a withdrawn identifier: the time, the reason and the replacement. */
  @ApiProperty({ allOf: [{ $ref: '#/components/schemas/Tombstone' }], required: false })
  tombstone?: object;

  /**
   * For a withdrawn identifier: its version. A reinstatement can send it in double quotes, or the `ETag` of the response, as `If-Match`.
   * @example 2
   */
  @ApiProperty({ type: 'integer', required: false })
  version?: number;

  /** For a withdrawn identifier, if the key may curate it: its record, as in `Identifier`. */
  @ApiProperty({ allOf: [{ $ref: '#/components/schemas/Identifier' }], required: false })
  record?: object;

  /**
   * For a cursor of an event that the log does not have: the cursor at which to start again.
   * @example "q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa"
   */
  next?: string;
}

/** The place of a fault that is not in the body. */
const ELSEWHERE = /^#(query|path|header)\/([^/]*)/;

function shownDetail({ pointer, ...fault }: ProblemDetail): ProblemDetailDto {
  const [, part, name = ''] = ELSEWHERE.exec(pointer) ?? [];
  if (part === undefined) return { pointer, ...fault };
  const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
  return part === 'header' ? { header: plain, ...fault } : { parameter: plain, ...fault };
}

/** Serializes a problem. @param instance the path of the failed request. */
export function problemDocument(problem: Problem, instance: string): ProblemDocumentDto {
  const { status, title } = CATALOGUE[problem.code];
  return {
    type: `/problems/${problem.code}`,
    title,
    status,
    detail: problem.detail,
    instance,
    code: problem.code,
    ...(problem.extensions.errors === undefined ? {} : { errors: problem.extensions.errors.map(shownDetail) }),
    ...problem.extensions.members,
  };
}

/** The members of a result that say why its item failed. @param instance the path of the request. */
export function rejection(problem: Problem, instance: string): { status: number; problem: ProblemDocumentDto } {
  return { status: CATALOGUE[problem.code].status, problem: problemDocument(problem, instance) };
}
