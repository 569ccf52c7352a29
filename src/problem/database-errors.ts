/**
 * SQLSTATE classes and codes that say "not now" (PostgreSQL, appendix A): connection exceptions, refused credentials, a
 * database that is not there, insufficient resources, operator intervention, and a statement at its time limit.
 */
const STATES = /^(08...|28...|3D000|53...|57P0.|57014)$/;

/** The same from the network, and as Prisma names it. */
const CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT'],
  ...['P1001', 'P1002', 'P1003', 'P1008', 'P1017', 'P2024'],
]);

/** The words of `pg` for what it gives no code. */
const WORDS = /^(timeout exceeded when trying to connect|Connection terminated)/;

/** Whether an error says that the database cannot be reached now, rather than that the request or the code is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined && (STATES.test(code) || CODES.has(code))) return true;
  if (!(error instanceof Error)) return false;
  // Prisma wraps the driver's error in the cause of its own.
  return WORDS.test(error.message) || (error.cause !== undefined && isDatabaseUnavailable(error.cause));
}

/** The code of an error, if it has one; for an error of Prisma's adapter, the driver's own. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, originalCode } = error as { code?: unknown; originalCode?: unknown };
  const found = originalCode ?? code;
  return typeof found === 'string' ? found : undefined;
}
