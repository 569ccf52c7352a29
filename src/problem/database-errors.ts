/**
 * SQLSTATE classes and codes that say "not now" (PostgreSQL, appendix A): connection exceptions, a server that only reads
 * (25006, after a failover), refused credentials, a database that is not there, a transaction that lost against another
 * (40001, 40P01), insufficient resources, a lock that was waited for too long, operator intervention, and a statement at its
 * time limit.
 */
const STATES = /^(08...|25006|28...|3D000|40001|40P01|53...|55P03|57P0.|57014)$/;

/** The same from the network, and as Prisma names it. */
const CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['P1001', 'P1002', 'P1003', 'P1008', 'P1017', 'P2024'],
]);

/** The words of `pg` for what it gives no code. */
const WORDS = /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout)/;

/**
 * Whether an error says that the connection broke while a statement ran: the network's codes, connection exceptions, and
 * a server that went down (57P01 to 57P03).
 */
export function isConnectionLost(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as DatabaseError;
  if (typeof code === 'string') return /^(08...|57P0[123]|E[A-Z]+)$/.test(code);
  return typeof message === 'string' && WORDS.test(message);
}

/** Whether a statement waited too long for another transaction, and wrote nothing. */
export function isLockTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as DatabaseError).code === '55P03';
}

/** Whether a statement met a row of others in a unique index, and wrote nothing. */
export function isUniqueViolation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as DatabaseError).code === '23505';
}

/** Whether an error says that the database cannot be reached now, rather than that the request or the code is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, originalCode, message, cause, meta } = error as DatabaseError;
  if ([code, originalCode].some((found) => typeof found === 'string' && (STATES.test(found) || CODES.has(found)))) {
    return true;
  }
  if (typeof message === 'string' && WORDS.test(message)) return true;
  // Prisma keeps the driver's error in the metadata of its own, and the adapter's in its cause.
  return isDatabaseUnavailable(meta?.driverAdapterError) || isDatabaseUnavailable(cause);
}

/** Where the errors of `pg`, of Prisma's adapter and of Prisma's client keep what they know. */
interface DatabaseError {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}
