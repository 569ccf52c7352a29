import { SYNTAX_CODES, type SyntaxCode } from '../identifier/index.js';

/** What is fixed about one kind of problem; `docs/errors.md` has the same list in prose, and a test holds them equal. */
export interface ProblemKind {
  /** The HTTP status it is answered with. */
  readonly status: number;
  /** The same short sentence every time (RFC 9457 3.1.3). */
  readonly title: string;
}

/** Problems of a request or of the service. Codes are stable: callers may switch over them. */
const SERVICE_PROBLEMS = {
  MALFORMED_JSON: { status: 400, title: 'The body is not JSON.' },
  INVALID_REQUEST: { status: 400, title: 'The request does not have the expected shape.' },
  INVALID_PRECONDITION: { status: 400, title: 'The precondition cannot be read.' },
  INVALID_CURSOR: { status: 400, title: 'The cursor was not given by this service.' },
  INVALID_IDEMPOTENCY_KEY: { status: 400, title: 'The Idempotency-Key cannot be used.' },
  MALFORMED_URL: { status: 400, title: 'The URL is not well formed.' },
  MALFORMED_HTTP: { status: 400, title: 'The request is not well-formed HTTP.' },
  UNAUTHENTICATED: { status: 401, title: 'A valid API key is required.' },
  SCOPE_MISSING: { status: 403, title: 'The key does not allow this.' },
  NAMING_AUTHORITY_FORBIDDEN: { status: 403, title: 'The key does not cover this naming authority.' },
  CROSS_SITE_REQUEST: { status: 403, title: 'A page of another site sent the request.' },
  API_KEY_NOT_FOUND: { status: 404, title: 'The API key is not known here.' },
  NOT_FOUND: { status: 404, title: 'Nothing is served here.' },
  IDENTIFIER_NOT_FOUND: { status: 404, title: 'The identifier is not registered.' },
  NAMING_AUTHORITY_NOT_FOUND: { status: 404, title: 'The naming authority is not known here.' },
  RESERVATION_NOT_FOUND: { status: 404, title: 'The reservation is not known here.' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not have this method.' },
  NOT_ACCEPTABLE: { status: 406, title: 'The answer cannot be given in an accepted media type.' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive.' },
  METADATA_ID_TAKEN: { status: 409, title: 'The metadata ID describes an identifier already.' },
  GUID_TAKEN: { status: 409, title: 'The GUID is registered already.' },
  ALTERNATE_ID_TAKEN: { status: 409, title: 'The alternate identifier belongs to another identifier.' },
  IDENTIFIER_TAKEN: { status: 409, title: 'The identifier is registered already.' },
  NAMING_AUTHORITY_TAKEN: { status: 409, title: 'The naming authority exists already.' },
  REQUEST_IN_FLIGHT: { status: 409, title: 'A request with this Idempotency-Key has not ended.' },
  WRONG_STATE: { status: 409, title: 'The state of the identifier does not allow this.' },
  IDENTIFIER_WITHDRAWN: { status: 410, title: 'The identifier was withdrawn.' },
  PRECONDITION_FAILED: { status: 412, title: 'What is to be changed has changed already.' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body has a media type that is not understood.' },
  UNKNOWN_NAMING_AUTHORITY: { status: 422, title: 'The naming authority is not configured here.' },
  SUSPENDED_NAMING_AUTHORITY: { status: 422, title: 'The naming authority is suspended.' },
  METADATA_ID_IS_IDENTIFIER: { status: 422, title: 'An identifier cannot be its own metadata ID.' },
  WRONG_PROFILE: { status: 422, title: 'The naming authority does not give such local names.' },
  PARENT_NOT_FOUND: { status: 422, title: 'The parent of the naming authority does not exist.' },
  REPLACEMENT_NOT_FOUND: { status: 422, title: 'The replacement is not an active identifier.' },
  DUPLICATE_IN_REQUEST: { status: 422, title: 'Two items of the request ask for the same.' },
  BATCH_REFUSED: { status: 422, title: 'Nothing was done, because an item was refused.' },
  PRECONDITION_REQUIRED: { status: 428, title: 'The request needs If-Match.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The Idempotency-Key was used for another request.' },
  RATE_LIMITED: { status: 429, title: 'Too many requests in a short time.' },
  CONCURRENCY_LIMITED: { status: 429, title: 'Too many requests at once.' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large.' },
  INTERNAL_ERROR: { status: 500, title: 'The service failed.' },
  DATABASE_UNAVAILABLE: { status: 503, title: 'The database does not answer.' },
  OUTCOME_UNKNOWN: { status: 503, title: 'Whether the change took place is not known.' },
  OVERLOADED: { status: 503, title: 'The service is overloaded.' },
  SHUTTING_DOWN: { status: 503, title: 'The service is stopping.' },
} satisfies Record<string, ProblemKind>;

/** A code of the service itself. */
export type ServiceCode = keyof typeof SERVICE_PROBLEMS;

/** Every code a problem document can carry: the service's own, and those of identifier syntax. */
export type ProblemCode = ServiceCode | SyntaxCode;

const SYNTAX_PROBLEM: ProblemKind = { status: 400, title: 'The identifier is malformed.' };

/** The closed catalogue of problems. */
export const CATALOGUE: Readonly<Record<ProblemCode, ProblemKind>> = {
  ...SERVICE_PROBLEMS,
  ...(Object.fromEntries(SYNTAX_CODES.map((code) => [code, SYNTAX_PROBLEM])) as Record<SyntaxCode, ProblemKind>),
};

/** All codes, the service's own first. */
export const PROBLEM_CODES = Object.keys(CATALOGUE) as ProblemCode[];
