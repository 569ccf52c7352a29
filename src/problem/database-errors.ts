import { Problem, type ProblemExtensions } from './problem.js';
import {
  type Outcome,
  conflictInProgress,
  laterPart,
  poolBusy,
  statementTimeout,
  tableLocked,
  unavailable,
} from './storage-problems.js';

/**
 * SQLSTATEs of an unavailable database (PostgreSQL, appendix A): connections, a read-only server after a failover (25006), transactions
 * that were idle or open for too long, credentials, databases that are missing or accept no connections (55000), resources, operator
 * intervention, and errors of the disk (58030).
 */
const UNAVAILABLE_STATES = /^(08...|25006|25P03|25P04|28...|3D000|53...|55000|57P0.|58030)$/;

/** Severities with which the server ends a session or rejects a new one. The SQLSTATE can be any. */
const OF_SESSION: ReadonlySet<unknown> = new Set(['FATAL', 'PANIC']);

/** Codes of sessions that were not established, so that no statement was sent. */
const NOT_CONNECTED = /^(28...|3D000|53300|57P03|ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

/** SQLSTATEs of writes only: a server that is read-only or in recovery, and a full disk. */
const WRITE_STATES = /^(25006|53100)$/;

/**
 * SQLSTATEs for missing tables, columns, functions or rights, which occur if the database lacks a migration or the grants of `roles.sql`;
 * and for prepared statements that are missing or already exist, which occur if the session belongs to another server.
 */
const OTHER_SCHEMA_STATES = /^(42P01|42703|42883|42501|26000|42P05)$/;

/** Messages of PostgreSQL for a prepared statement whose result a migration changed, and for a standby. */
const OTHER_SERVER_MESSAGES =
  /^cached plan must not change result type|due to conflict with recovery$|^cannot (assign TransactionIds|make new WAL entries) during recovery$/;

/** Lock timeouts, serialization failures and deadlocks. */
const CONFLICT_STATES = /^(55P03|40001|40P01)$/;

/** SQLSTATE `query_canceled`, which `statement_timeout` causes. */
const STATEMENT_TIMEOUT_STATE = /^57014$/;

/** Error codes of the network and of Prisma for an unavailable database. */
const CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['P1001', 'P1002', 'P1003', 'P1008', 'P1017', 'P2024'],
]);

/** Messages of `pg` for errors without a code. */
const MESSAGES = /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout)/;

/** Code of a full pool whose database responds. */
const POOL_BUSY = /^POOL_BUSY$/;

/** Message of `pg` for a statement that was not sent because the connection was lost. */
const NOT_SENT = /^Client (has encountered a connection error|was closed) and is not queryable/;

/** Whether the connection was lost or not established, so that the outcome of a commit is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message, severity } = (error ?? {}) as DatabaseError;
  if (OF_SESSION.has(severity)) return true;
  if (typeof code === 'string') return /^(08...|57P0[123]|E[A-Z]+)$/.test(code);
  return typeof message === 'string' && MESSAGES.test(message);
}

/** Whether a session must be replaced: the server is read-only or a standby, or prepared statements of the session are lost or outdated. */
export function isOfOtherServer(error: unknown): boolean {
  return (
    hasCode(error, /^(25006|26000)$/) || [...causesOf(error)].some(({ message }) => OTHER_SERVER_MESSAGES.test(message))
  );
}

/** Whether a statement waited too long for a lock. Such a statement wrote nothing. */
export function isLockTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as DatabaseError).code === '55P03';
}

export function isConflict(error: unknown): boolean {
  return isLockTimeout(error) || (error instanceof Problem && error.code === 'CONFLICT_IN_PROGRESS');
}

/** Whether a statement violated a unique index. Such a statement wrote nothing. */
export function isUniqueViolation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as DatabaseError).code === '23505';
}

/** Whether an alternate claims a name that was read before its naming authority got another profile (decision 35). */
export function isOutdatedClaim(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'alternate_identifier_claimed_check';
}

/** A database error that caused a request to fail, directly or as the cause of a problem. */
export interface DatabaseFailure {
  readonly reason: unknown;
  /** True if the database is unavailable or no connection is free; false if a statement was slow or locked. */
  readonly isOutage: boolean;
  readonly isOfWrite: boolean;
  readonly logged?: ProblemExtensions['logged'];
}

/** @returns null if the state of the database did not cause the error. */
export function databaseFailure(error: unknown): DatabaseFailure | null {
  if (error instanceof Problem) {
    const isOutage = error.code === 'OUTCOME_UNKNOWN' || error.code === 'DATABASE_UNAVAILABLE';
    const { isOfRead, logged } = error.extensions;
    return isOutage ? { reason: error.cause ?? error.detail, isOutage, isOfWrite: isOfRead !== true, logged } : null;
  }
  const problem = databaseProblem(error);
  if (problem === null) return null;
  const isOutage = problem.code === 'DATABASE_UNAVAILABLE' || problem.code === 'OVERLOADED';
  return { reason: error, isOutage, isOfWrite: hasCode(error, WRITE_STATES) };
}

/** Whether values can cause the error: SQLSTATE classes 21 to 23 and 54, P0001 (PostgreSQL, appendix A), and errors without a code. */
export function isCausedByData(error: unknown): boolean {
  if (error instanceof Problem || databaseProblem(error) !== null) return false;
  const { code } = error as DatabaseError;
  return typeof code !== 'string' || /^(2[123]...|54...|P0001)$/.test(code);
}

function hasCode(error: unknown, states: RegExp): boolean {
  return [...causesOf(error)].some(({ codes }) => codes.some((code) => states.test(code)));
}

/** @param isOfRead whether the request only reads. @returns null if the state of the database did not cause the error. */
export function databaseProblem(error: unknown, isOfRead = false): Problem | null {
  const outcome = outcomeOf(error, isOfRead);
  if (isOfOtherServer(error)) return unavailable(outcome);
  if (hasCode(error, CONFLICT_STATES)) return isOfRead ? tableLocked() : conflictInProgress();
  if (hasCode(error, STATEMENT_TIMEOUT_STATE)) return statementTimeout();
  if (hasCode(error, POOL_BUSY)) return poolBusy();
  const isUnavailable =
    hasCode(error, UNAVAILABLE_STATES) ||
    hasCode(error, OTHER_SCHEMA_STATES) ||
    [...causesOf(error)].some(
      ({ codes, message, severity }) =>
        codes.some((code) => CODES.has(code)) ||
        MESSAGES.test(message) ||
        NOT_SENT.test(message) ||
        OF_SESSION.has(severity),
    );
  return isUnavailable ? unavailable(outcome) : null;
}

function outcomeOf(error: unknown, isOfRead: boolean): Outcome {
  if (hasCode(error, /^42501$/)) return 'rights';
  if (isOfRead) return 'read';
  // The severity ERROR means that the server rejected the statement.
  const isKnown = [...causesOf(error)].some(({ message, severity }) => severity === 'ERROR' || NOT_SENT.test(message));
  return isKnown || hasCode(error, NOT_CONNECTED) ? 'unchanged' : 'unknown';
}

/** Replaces problems that say that nothing was changed, for a later part of a request whose earlier parts have been committed. */
export function errorOfLaterPart(error: unknown): unknown {
  const code = (error instanceof Problem ? error : databaseProblem(error))?.code;
  return code === 'STATEMENT_TIMEOUT' || code === 'CONFLICT_IN_PROGRESS' ? laterPart(code) : error;
}

/** The error and its causes: Prisma stores the driver's error in its metadata, the adapter in `cause`. */
export function* causesOf(error: unknown): Generator<{ codes: string[]; message: string; severity: unknown }> {
  if (typeof error !== 'object' || error === null) return;
  const { code, originalCode, message, severity, cause, meta } = error as DatabaseError;
  const codes = [code, originalCode].filter((found) => typeof found === 'string');
  yield { codes, message: typeof message === 'string' ? message : '', severity };
  yield* causesOf(meta?.driverAdapterError);
  yield* causesOf(cause);
}

interface DatabaseError {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly severity?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}
