import type { FastifyReply, FastifyRequest } from 'fastify';
import { CATALOGUE, type ProblemCode, type ServiceCode } from './catalogue.js';
import { databaseProblem } from './database-errors.js';
import { logFailure } from './log-failure.js';
import { problemDocument } from './problem-document.dto.js';
import { Problem, headersOf, tooLarge } from './problem.js';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the problem in the response; null for other responses. */
    problemCode: ProblemCode | null;
  }
}

const FASTIFY_PROBLEMS: Readonly<Record<string, ServiceCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'MALFORMED_HTTP',
};

/** Codes for errors of the framework and its plugins, by status. */
const STATUS_PROBLEMS: Readonly<Record<number, ServiceCode>> = {
  403: 'NOT_FOUND',
  404: 'NOT_FOUND',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** The detail for a body in another media type, or in another coding. */
export const UNREADABLE_BODY =
  'Send the body as UTF-8 without compression, with "content-type: application/json", or application/merge-patch+json for PATCH.';

/** An error of Fastify, or an HttpException of NestJS. NestJS is not imported, so that servers without it do not load it. */
interface FrameworkError {
  readonly code?: string;
  readonly message?: string;
  readonly statusCode?: number;
  readonly getStatus?: () => number;
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error, request);
  reply.problemCode = problem.code;
  const { status } = CATALOGUE[problem.code];
  const isGone = reply.raw.destroyed || (request.raw.destroyed && !request.raw.complete);
  if (isGone) request.log.info('the client closed the connection');
  else if (status >= 500) logFailure(error, request, problem.code);
  const instance = request.originalUrl.split('?', 1)[0] ?? '/';
  void reply
    .status(status)
    .headers({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headersOf(problem),
    })
    .send(`${JSON.stringify(problemDocument(problem, instance))}\n`);
}

/** @param request the failed request; its route has the body limit, which Fastify's error does not contain. */
export function problemOf(error: unknown, request?: Pick<FastifyRequest, 'method' | 'routeOptions'>): Problem {
  if (error instanceof Problem) return error;
  const raised: FrameworkError = error instanceof Error ? error : {};
  const status = raised.getStatus?.() ?? raised.statusCode ?? 0;
  const byStatus = STATUS_PROBLEMS[status] ?? (status >= 400 && status < 500 ? 'MALFORMED_HTTP' : undefined);
  const known = FASTIFY_PROBLEMS[raised.code ?? ''] ?? byStatus;
  const bodyLimit = request?.routeOptions.bodyLimit;
  if (known === 'BODY_TOO_LARGE' && bodyLimit !== undefined) return tooLarge(bodyLimit);
  if (known === 'UNSUPPORTED_MEDIA_TYPE') return new Problem(known, UNREADABLE_BODY);
  if (known !== undefined) return new Problem(known, raised.message ?? '');
  const detail = 'The request could not be completed. The log contains the reason under this request ID.';
  return databaseProblem(error, request !== undefined && isRead(request)) ?? new Problem('INTERNAL_ERROR', detail);
}

function isRead({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.config.onlyReads === true;
}

/** Converts errors to responses. An unexpected error is logged completely and returned without details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly senderOf: (request: FastifyRequest) => typeof sendProblem = () => sendProblem) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    this.senderOf(request)(error, request, http.getResponse<FastifyReply>());
  }
}
