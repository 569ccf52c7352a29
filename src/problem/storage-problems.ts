import { Problem, type ProblemExtensions } from './problem.js';

const RETRY_SOON = { headers: { 'retry-after': '1' } };

/** What is known about a request during an outage of the database; `unchanged` means that its last statement changed nothing. */
const OUTCOMES = {
  rights: 'The role of the service lacks a right. As the owner of the tables, run docs/deployment/roles.sql.',
  read: 'Retry after Retry-After.',
  unchanged: 'It did not accept the statement, which changed nothing. Retry with the same Idempotency-Key.',
  unknown: 'Acknowledged writes are safe; the outcome of this request is unknown. Retry with the same Idempotency-Key.',
};

export type Outcome = keyof typeof OUTCOMES;

export function unavailable(outcome: Outcome): Problem {
  return new Problem('DATABASE_UNAVAILABLE', `The database is unavailable. ${OUTCOMES[outcome]}`, RETRY_SOON);
}

/** A readiness check failed. @param detail the reason. @param cause an error of the database. */
export function notReady(detail: string, cause?: unknown, extensions: ProblemExtensions = {}): Problem {
  const problem = new Problem('DATABASE_UNAVAILABLE', detail, { headers: { 'retry-after': '5' }, ...extensions });
  problem.cause = cause;
  return problem;
}

export function rowsLost(): Problem {
  const detail =
    'The database failed over during the request, and rows that were found are gone. Send the request again after Retry-After, with the same Idempotency-Key.';
  return new Problem('DATABASE_UNAVAILABLE', detail, RETRY_SOON);
}

/** A cursor of the log was sent to a server that has been started and has not raised the offset of positions yet. */
export function serverStarted(): Problem {
  const detail =
    'The database server was started, and the log cannot be compared with the cursor yet. Send the request again after Retry-After.';
  return new Problem('DATABASE_UNAVAILABLE', detail, { ...RETRY_SOON, isOfRead: true });
}

export function notSent(): Problem {
  const detail =
    'The database did not complete the requests before this one in time. Nothing was sent to the database; send the request again after Retry-After.';
  return new Problem('DATABASE_UNAVAILABLE', detail, { headers: { 'retry-after': '2' } });
}

export function outcomeUnknown(cause: unknown): Problem {
  const detail =
    'The database connection was lost during the commit, so the outcome is unknown. Send the same request ' +
    'again with the same Idempotency-Key or metadata ID: it takes effect once.';
  const problem = new Problem('OUTCOME_UNKNOWN', detail, RETRY_SOON);
  problem.cause = cause;
  return problem;
}

export function statementTimeout(): Problem {
  const detail =
    'A statement exceeded DATABASE_STATEMENT_TIMEOUT_MS and was canceled. Nothing was changed; send the request again, or request less at once.';
  return new Problem('STATEMENT_TIMEOUT', detail, RETRY_SOON);
}

export function poolBusy(): Problem {
  const detail =
    'No database connection became free in time. Send the request again after Retry-After, with the same Idempotency-Key.';
  return new Problem('OVERLOADED', detail, RETRY_SOON);
}

export function queueFull(): Problem {
  const detail = 'Too many requests are waiting. Retry after Retry-After.';
  return new Problem('OVERLOADED', detail, { headers: { 'retry-after': '2' } });
}

/** The problem of a lock timeout, a serialization failure or a deadlock. */
export function conflictInProgress(): Problem {
  const detail =
    'A request that changes the same identifier, metadata ID or alternate identifier is still in progress, or another transaction has locked a table. Nothing was changed; retry after Retry-After.';
  return new Problem('CONFLICT_IN_PROGRESS', detail, RETRY_SOON);
}

/** The request waited for the lock of a table, because it only reads, or mints without a value that another request can have. */
export function tableLocked(): Problem {
  const detail =
    'Another transaction, such as a change of the schema, has locked a table that this request needs. Retry after Retry-After.';
  return new Problem('CONFLICT_IN_PROGRESS', detail, RETRY_SOON);
}

/** The problem of a later part of a request whose earlier parts have been committed. */
export function laterPart(code: 'STATEMENT_TIMEOUT' | 'CONFLICT_IN_PROGRESS'): Problem {
  const detail =
    'A part of the request was not completed in time, and earlier parts have taken effect. Send the same request again after Retry-After, with the same Idempotency-Key, to complete it.';
  return new Problem(code, detail, RETRY_SOON);
}

export function keyReused(): Problem {
  const detail = 'This Idempotency-Key was used for a different request. Use a new key for each new request.';
  const errors = [{ pointer: '#header/Idempotency-Key', detail: 'was used with a different body' }];
  return new Problem('IDEMPOTENCY_KEY_REUSED', detail, { errors });
}

export function requestInFlight(): Problem {
  const detail = 'A request with this Idempotency-Key is still in progress. Retry after Retry-After.';
  const errors = [{ pointer: '#header/Idempotency-Key', detail: 'in flight' }];
  return new Problem('REQUEST_IN_FLIGHT', detail, { errors, ...RETRY_SOON });
}
