import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, TEXT, getSchemaPath, textHeader } from '../openapi/annotations.js';
import { CATALOGUE, type ProblemCode, type ServiceCode } from './catalogue.js';
import { ProblemDocumentDto } from './problem-document.dto.js';

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

export const BODY_CODES = ['MALFORMED_JSON', 'INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

export const IDEMPOTENCY_CODES = [
  ...(['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_FLIGHT', 'OUTCOME_UNKNOWN'] as const),
] as const;

export const PREFIX_CODES = ['INVALID_NAMING_AUTHORITY', 'INVALID_CHARACTER', 'NOT_UCS2'] as const;

const PROBLEM = 'application/problem+json';

const CURRENT_TAG = { ETag: textHeader('Entity tag of the current representation, if the response contains one.') };

const HEADERS: Readonly<Record<number, Record<string, ReturnType<typeof textHeader>>>> = {
  401: { 'WWW-Authenticate': textHeader('How to authenticate (RFC 9110 11.6.1).') },
  403: { 'WWW-Authenticate': textHeader('The missing scope, if a scope is missing (RFC 6750 3.1).') },
  409: {
    Link: textHeader('The conflicting resource, as rel="related" (RFC 8288).'),
    'Retry-After': textHeader('Seconds to wait before the next attempt, if the same request is in progress.'),
  },
  410: { ...CURRENT_TAG, Link: textHeader('The replacement, as rel="http://purl.org/dc/terms/isReplacedBy".') },
  429: { 'Retry-After': textHeader('Seconds to wait before the next attempt.') },
  451: {
    ...CURRENT_TAG,
    Link: textHeader(
      'Who blocks the identifier, as rel="blocked-by" (RFC 7725 4), if the operator has set `BLOCKED_BY_URL`, and the replacement.',
    ),
  },
  503: { 'Retry-After': textHeader('Seconds to wait before the next attempt.') },
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
        headers: { ...HEADERS[status], Vary: textHeader('`Accept`, if the response depends on it.') },
        description: group.map((code) => `\`${code}\``).join(', '),
        content: {
          [PROBLEM]: {
            schema: { $ref: getSchemaPath(ProblemDocumentDto) },
          },
          ...(pages.includes(status) && { 'text/html': TEXT }),
        },
      }),
    ),
  );
}
