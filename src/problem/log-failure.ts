import type { FastifyRequest } from 'fastify';
import { causeInWords } from './database-causes.js';
import { databaseProblem } from './database-errors.js';
import { Problem } from './problem.js';

/** Counts what fails because of the database, in place of a line of the log for each. */
export interface FailureCounter {
  /**
   * @param isOfRequest whether a request failed; false for a health check and for work of the service itself.
   * @returns whether the error belongs to an outage of the database; others are logged by the caller.
   */
  failed(error: unknown, isOfRequest: boolean): boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent on a server that is not that of the API. */
    readonly failures?: FailureCounter;
  }
}

/** The part of a request that its failures need. */
export type FailedRequest = Pick<FastifyRequest, 'log' | 'server' | 'routeOptions'>;

/**
 * Logs an error of the service with its stack, and one of the database with its cause, except in an outage of the database: there it
 * is counted.
 */
export function logFailure(error: unknown, request: FailedRequest, message: string, fields: object = {}): void {
  if (isCounted(error, request) || error instanceof Problem) return;
  const cause = databaseProblem(error) === null ? null : causeInWords(error);
  request.log.error({ ...(cause === null ? { err: error } : { cause }), ...fields }, message);
}

/** Whether the error is one of an outage of the database, which has its own lines in the log. */
export function isCounted(error: unknown, { server, routeOptions }: FailedRequest): boolean {
  return server.failures?.failed(error, routeOptions.url !== '/health/ready') ?? false;
}
