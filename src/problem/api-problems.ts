import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '../openapi/annotations.js';
import { CATALOGUE, type ProblemCode, type ServiceCode } from './catalogue.js';
import { ProblemDocumentDto, problemDocument } from './problem-document.dto.js';
import { Problem } from './problem.js';

/** Problems that any request can meet, and those of every operation that needs a key and the database. */
const EVERYWHERE: readonly ServiceCode[] = ['MALFORMED_HTTP', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'INTERNAL_ERROR'];
const WITH_KEY_AND_DATABASE: readonly ServiceCode[] = [
  ...(['UNAUTHENTICATED', 'SCOPE_MISSING', 'RATE_LIMITED', 'CONCURRENCY_LIMITED'] as const),
  ...(['DATABASE_UNAVAILABLE', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
];

const PROBLEM = 'application/problem+json';

const header = (description: string) => ({ description, schema: { type: 'string' as const } });

/** Headers that the problems of a status carry. */
const HEADERS: Readonly<Record<number, Record<string, ReturnType<typeof header>>>> = {
  401: { 'WWW-Authenticate': header('How to authenticate (RFC 9110 11.6.1).') },
  403: { 'WWW-Authenticate': header('Which scope is missing, if it is one (RFC 6750 3.1).') },
  409: { Link: header('What is in the way, as rel="related" (RFC 8288).') },
  429: { 'Retry-After': header('Seconds after which to try again.') },
  503: { 'Retry-After': header('Seconds after which to try again.') },
};

/** Describes the problems of an operation in OpenAPI: a response for each status, with an example for each code. */
export function ApiProblems(...codes: ProblemCode[]): MethodDecorator {
  return ApiOnlyProblems(...codes, ...WITH_KEY_AND_DATABASE);
}

/** The same for an operation that needs neither a key nor the database. */
export function ApiOnlyProblems(...codes: ProblemCode[]): MethodDecorator {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of [...codes, ...EVERYWHERE]) {
    const { status } = CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ApiExtraModels(ProblemDocumentDto),
    ...[...byStatus].map(([status, group]) =>
      ApiResponse({
        status,
        headers: HEADERS[status] ?? {},
        description: group.map(inWords).join('\n\n'),
        content: {
          [PROBLEM]: {
            schema: { $ref: getSchemaPath(ProblemDocumentDto) },
            examples: Object.fromEntries(group.map((code) => [code, { value: example(code) }])),
          },
        },
      }),
    ),
  );
}

/** Adds a problem to a response of the finished document that has others of the same status. */
export function addProblem(response: DescribedResponse, code: ProblemCode): void {
  response.description += `\n\n${inWords(code)}`;
  Object.assign(response.content?.[PROBLEM]?.examples ?? {}, { [code]: { value: example(code) } });
}

interface DescribedResponse {
  description: string;
  content?: Record<string, { examples?: object }>;
}

function inWords(code: ProblemCode): string {
  return `\`${code}\`: ${CATALOGUE[code].title}`;
}

function example(code: ProblemCode): ProblemDocumentDto {
  return problemDocument(new Problem(code, CATALOGUE[code].title), '/identifiers');
}
