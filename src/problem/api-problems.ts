import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '../openapi/annotations.js';
import { CATALOGUE, type ProblemCode, type ServiceCode } from './catalogue.js';
import { ProblemDocumentDto } from './problem-document.dto.js';

/** Problems that every operation can return. */
const EVERYWHERE: readonly ServiceCode[] = [
  ...(['MALFORMED_HTTP', 'CROSS_SITE_REQUEST', 'REQUEST_TIMEOUT', 'MISDIRECTED_REQUEST'] as const),
  // For a query parameter that the operation does not have.
  'INVALID_REQUEST',
  ...(['HEADERS_TOO_LARGE', 'INTERNAL_ERROR'] as const),
];
const WITH_KEY_AND_DATABASE: readonly ServiceCode[] = [
  ...(['UNAUTHENTICATED', 'SCOPE_MISSING', 'RATE_LIMITED', 'CONCURRENCY_LIMITED'] as const),
  ...(['DATABASE_UNAVAILABLE', 'STATEMENT_TIMEOUT', 'CONFLICT_IN_PROGRESS', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
];

/** The codes of a malformed naming authority. */
export const PREFIX_CODES = ['INVALID_NAMING_AUTHORITY', 'INVALID_CHARACTER', 'NOT_UCS2'] as const;

const PROBLEM = 'application/problem+json';

const header = (description: string) => ({ description, schema: { type: 'string' as const } });

const CURRENT_TAG = { ETag: header('Entity tag of the current representation, where the response has it.') };

const HEADERS: Readonly<Record<number, Record<string, ReturnType<typeof header>>>> = {
  401: { 'WWW-Authenticate': header('How to authenticate (RFC 9110 11.6.1).') },
  403: { 'WWW-Authenticate': header('The missing scope, where a scope is missing (RFC 6750 3.1).') },
  409: {
    Link: header('The conflicting resource, as rel="related" (RFC 8288).'),
    'Retry-After': header('Seconds to wait before the next attempt, where the same request is in progress.'),
  },
  410: { ...CURRENT_TAG, Link: header('The replacement, as rel="http://purl.org/dc/terms/isReplacedBy".') },
  429: { 'Retry-After': header('Seconds to wait before the next attempt.') },
  451: {
    ...CURRENT_TAG,
    Link: header(
      'Who blocks the identifier, as rel="blocked-by" (RFC 7725 4), where the operator has set `BLOCKED_BY_URL`, and its replacement.',
    ),
  },
  503: { 'Retry-After': header('Seconds to wait before the next attempt.') },
};

export function ApiProblems(...codes: ProblemCode[]): MethodDecorator {
  return ApiOnlyProblems(...codes, ...WITH_KEY_AND_DATABASE);
}

/** @param pages statuses whose response is a page for clients that ask for `text/html`. */
export function ApiProblemsOrPages(pages: readonly number[], ...codes: ProblemCode[]): MethodDecorator {
  return describe([...codes, ...WITH_KEY_AND_DATABASE], pages);
}

export function ApiOnlyProblems(...codes: ProblemCode[]): MethodDecorator {
  return describe(codes, []);
}

function describe(codes: readonly ProblemCode[], pages: readonly number[]): MethodDecorator {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set([...codes, ...EVERYWHERE])) {
    const { status } = CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ApiExtraModels(ProblemDocumentDto),
    ...[...byStatus].map(([status, group]) =>
      ApiResponse({
        status,
        headers: { ...HEADERS[status], Vary: header('`Accept`, where the response depends on it.') },
        description: group.map((code) => `\`${code}\``).join(', '),
        content: {
          [PROBLEM]: {
            schema: { $ref: getSchemaPath(ProblemDocumentDto) },
          },
          ...(pages.includes(status) && { 'text/html': { schema: { type: 'string' as const } } }),
        },
      }),
    ),
  );
}
