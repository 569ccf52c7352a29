import { causesOf } from './database-errors.js';

/** Descriptions of SQLSTATEs (PostgreSQL, appendix A) and network error codes. */
const WORDS: Readonly<Record<string, string>> = {
  '08000': 'connection error',
  '08001': 'connection not established',
  '08003': 'connection does not exist',
  '08004': 'connection rejected',
  '08006': 'connection lost',
  '08P01': 'protocol violation, for example by a pool in front of the server',
  '25006': 'the server is read-only',
  '25P03': 'a transaction was idle for too long',
  '25P04': 'a transaction took too long',
  '26000': 'the session belongs to another server',
  '28000': 'login rejected',
  '28P01': 'wrong password',
  '3D000': 'the database does not exist',
  '40001': 'transactions in conflict',
  '40P01': 'deadlock',
  '42501': 'missing right: as the owner of the tables, run docs/deployment/roles.sql',
  '42703': 'a column does not exist',
  '42883': 'a function does not exist',
  '42P01': 'a table does not exist',
  '53000': 'insufficient resources',
  '53100': 'disk full',
  '53200': 'out of memory',
  '53300': 'too many connections',
  '53400': 'limit of the configuration exceeded',
  '55000': 'the database accepts no connections, or the server is in recovery',
  '55P03': 'lock not released in time',
  '57014': 'statement timeout',
  '57P01': 'terminated by an administrator',
  '57P02': 'terminated by a crash of the server',
  '57P03': 'the server starts or stops',
  '57P04': 'the database was dropped',
  '57P05': 'session idle for too long',
  '58030': 'the disk of the server fails',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'the name of the host is unknown',
  EPIPE: 'connection lost',
  ETIMEDOUT: 'no response in time',
  POOL_BUSY: 'all connections of the pool are in use',
};

/** Descriptions of errors of `pg` without a code, by message. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded when trying to connect/, 'no connection in time'],
  [/^Query read timeout/, 'no response in time'],
  [/^(Connection terminated|Client (has encountered|was closed))/, 'connection lost'],
];

/**
 * Describes an error of the database, as in "53300 too many connections": the SQLSTATE or network code, if there is one, and the cause, if
 * it is listed here. The description contains no text of the server, which can name roles and hosts. Returns null for other errors.
 */
export function causeInWords(error: unknown): string | null {
  const found = [...causesOf(error)];
  const codes = found.flatMap((cause) => cause.codes);
  const known = codes.find((code) => WORDS[code] !== undefined);
  if (known !== undefined) return `${known} ${WORDS[known]}`;
  for (const { message } of found) {
    const words = MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
    if (words !== undefined) return words;
  }
  const state = codes.find((code) => /^[0-9A-Z]{5}$/.test(code));
  return state === undefined ? null : `${state} error of the database`;
}
