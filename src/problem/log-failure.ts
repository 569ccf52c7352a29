import type { FastifyRequest } from 'fastify';
import { causeInWords } from './database-causes.js';
import { databaseProblem } from './database-errors.js';
import { Problem } from './problem.js';

/** Counts failures of the database, instead of logging each one. */
export interface FailureCounter {
  /**
   * @param isOfRequest whether a request failed; false for a health check and for work of the service itself.
   * @returns whether the error belongs to an outage of the database; the caller logs other errors.
   */
  failed(error: unknown, isOfRequest: boolean): boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent on servers other than the API server. */
    readonly failures?: FailureCounter;
  }
}

export type FailedRequest = Pick<FastifyRequest, 'log' | 'server' | 'routeOptions'>;

/** Logs an error of the service with its stack, or of the database with its cause. Counts errors of an outage. Logs no problems. */
export function logFailure(error: unknown, request: FailedRequest, message: string, fields: object = {}): void {
  if (isCounted(error, request) || error instanceof Problem) return;
  const cause = databaseProblem(error) === null ? null : causeInWords(error);
  request.log.error({ ...(cause === null ? { err: error } : { cause }), ...fields }, message);
}

/** Counts an error of a database outage, which has its own log lines. @returns false for any other error. */
export function isCounted(error: unknown, { server, routeOptions }: FailedRequest): boolean {
  return server.failures?.failed(error, routeOptions.url !== '/health/ready') ?? false;
}
