import { SYNTAX_CODES, type SyntaxCode } from '@mintmark/identifier';

/** The status and the title of a code. A test compares the catalogue with `docs/reference/errors.md`. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

/** Codes are never renamed. */
const SERVICE_PROBLEMS = {
  MALFORMED_JSON: { status: 400, title: 'The body is not valid JSON.' },
  INVALID_REQUEST: { status: 400, title: 'The request does not have the expected format.' },
  INVALID_PRECONDITION: { status: 400, title: 'The precondition is malformed.' },
  INVALID_CURSOR: { status: 400, title: 'The cursor is invalid.' },
  FILTER_TOO_BROAD: { status: 400, title: 'The filter would read too many identifiers.' },
  INVALID_IDEMPOTENCY_KEY: { status: 400, title: 'The Idempotency-Key is invalid.' },
  MALFORMED_URL: { status: 400, title: 'The URL is malformed.' },
  MALFORMED_HTTP: { status: 400, title: 'The request is not valid HTTP.' },
  UNAUTHENTICATED: { status: 401, title: 'A valid API key is required.' },
  SCOPE_MISSING: { status: 403, title: 'The API key lacks the required scope.' },
  NAMING_AUTHORITY_FORBIDDEN: { status: 403, title: 'The API key does not cover this naming authority.' },
  OPEN_ACCESS_FORBIDDEN: { status: 403, title: 'The operation is not permitted under open access.' },
  CROSS_SITE_REQUEST: { status: 403, title: 'The request was sent by a page of another site.' },
  API_KEY_NOT_FOUND: { status: 404, title: 'The API key does not exist.' },
  NOT_FOUND: { status: 404, title: 'Resource not found.' },
  IDENTIFIER_NOT_FOUND: { status: 404, title: 'The identifier is not registered.' },
  NAMING_AUTHORITY_NOT_FOUND: { status: 404, title: 'The naming authority does not exist.' },
  NOT_IN_RESERVATION: { status: 404, title: 'The identifier is not in the reservation.' },
  RESERVATION_NOT_FOUND: { status: 404, title: 'The reservation does not exist.' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The method is not allowed for this resource.' },
  NOT_ACCEPTABLE: { status: 406, title: 'The response is not available in an accepted media type.' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request was not received in time.' },
  METADATA_ID_TAKEN: { status: 409, title: 'The metadata ID is already used by an identifier.' },
  GUID_TAKEN: { status: 409, title: 'The GUID is already registered.' },
  ALTERNATE_ID_TAKEN: { status: 409, title: 'The name is an identifier or an alternate of another object.' },
  KEY_COLLISION: { status: 409, title: 'Another name has the same comparison key.' },
  HANDLE_USER_TAKEN: { status: 409, title: 'The Handle of the user belongs to another client or identifier.' },
  IDENTIFIER_TAKEN: { status: 409, title: 'The identifier is already registered.' },
  NAMING_AUTHORITY_TAKEN: { status: 409, title: 'The naming authority already exists.' },
  REQUEST_IN_FLIGHT: { status: 409, title: 'A request with this Idempotency-Key is still in progress.' },
  WRONG_STATE: { status: 409, title: 'The operation is not permitted in the current state of the identifier.' },
  IDENTIFIER_WITHDRAWN: { status: 410, title: 'The identifier was withdrawn.' },
  IDENTIFIER_BLOCKED: { status: 451, title: 'The identifier was withdrawn for a legal reason.' },
  CURSOR_AHEAD: { status: 410, title: 'The log does not have the event of the cursor.' },
  PRECONDITION_FAILED: { status: 412, title: 'The resource has been modified since it was read.' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large.' },
  NAME_TOO_LONG: { status: 414, title: 'The name is longer than any identifier.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The media type of the body is not supported.' },
  MISDIRECTED_REQUEST: { status: 421, title: 'The service does not serve the requested host.' },
  UNKNOWN_NAMING_AUTHORITY: { status: 422, title: 'The naming authority is not configured.' },
  RESERVED_NAMING_AUTHORITY: { status: 422, title: 'The name is reserved for a path of the service.' },
  SUSPENDED_NAMING_AUTHORITY: { status: 422, title: 'The naming authority is suspended.' },
  METADATA_ID_IS_IDENTIFIER: { status: 422, title: 'An identifier cannot be its own metadata ID.' },
  WRONG_PROFILE: { status: 422, title: 'The local name does not match the profile of the naming authority.' },
  WRONG_METADATA_ID_SCHEME: { status: 422, title: 'No metadata IDs are minted under this naming authority.' },
  PARENT_NOT_FOUND: { status: 422, title: 'The parent of the naming authority does not exist.' },
  REPLACEMENT_NOT_FOUND: { status: 422, title: 'The replacement is not an active identifier.' },
  INVALID_PREDECESSOR: { status: 422, title: 'The identifier cannot replace this one.' },
  RECORD_TOO_LARGE: { status: 422, title: 'The record would be too large.' },
  READ_ONLY_MEMBER: { status: 422, title: 'A read-only member differs from its current value.' },
  RESERVED_REASON_CODE: { status: 422, title: 'Only the service gives this reason code.' },
  DUPLICATE_IN_REQUEST: { status: 422, title: 'Two items of the request conflict.' },
  BATCH_REFUSED: { status: 422, title: 'The batch was rejected because of an invalid item.' },
  PRECONDITION_REQUIRED: { status: 428, title: 'If-Match is required.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The Idempotency-Key was used for a different request.' },
  RATE_LIMITED: { status: 429, title: 'The rate limit is exceeded.' },
  CONCURRENCY_LIMITED: { status: 429, title: 'Too many concurrent requests.' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The request line and the headers are too large.' },
  INTERNAL_ERROR: { status: 500, title: 'An internal error occurred.' },
  DATABASE_UNAVAILABLE: { status: 503, title: 'The database is unavailable.' },
  STATEMENT_TIMEOUT: { status: 503, title: 'The database statement timed out.' },
  CONFLICT_IN_PROGRESS: { status: 503, title: 'A conflicting request is still in progress.' },
  OUTCOME_UNKNOWN: { status: 503, title: 'The outcome of the request is unknown.' },
  OVERLOADED: { status: 503, title: 'The service is overloaded.' },
  SHUTTING_DOWN: { status: 503, title: 'The service is shutting down.' },
} satisfies Record<string, ProblemKind>;

export type ServiceCode = keyof typeof SERVICE_PROBLEMS;

export type ProblemCode = ServiceCode | SyntaxCode;

const SYNTAX_PROBLEM: ProblemKind = { status: 400, title: 'The identifier is malformed.' };

export const CATALOGUE: Readonly<Record<ProblemCode, ProblemKind>> = {
  ...SERVICE_PROBLEMS,
  ...(Object.fromEntries(SYNTAX_CODES.map((code) => [code, SYNTAX_PROBLEM])) as Record<SyntaxCode, ProblemKind>),
};

export const PROBLEM_CODES = Object.keys(CATALOGUE) as ProblemCode[];
