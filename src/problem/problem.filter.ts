import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CATALOGUE, type ServiceCode } from './catalogue.js';
import { errorCode, isDatabaseUnavailable } from './database-errors.js';
import { problemDocument } from './problem-document.dto.js';
import { Problem } from './problem.js';

/** Fastify's own refusals, by its codes. */
const FASTIFY_PROBLEMS: Readonly<Record<string, ServiceCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'MALFORMED_HTTP',
  FST_ERR_BAD_URL: 'MALFORMED_URL',
  FST_ERR_MAX_PARAM_LENGTH: 'MALFORMED_URL',
  FST_ERR_ASYNC_CONSTRAINT: 'MALFORMED_HTTP',
  FST_ERR_HANDLER_TIMEOUT: 'DATABASE_UNAVAILABLE',
};

/** Statuses that reach us as exceptions of the framework. */
const STATUS_PROBLEMS: Readonly<Record<number, ServiceCode>> = {
  400: 'INVALID_REQUEST',
  404: 'NOT_FOUND',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** The one place where an error becomes an HTTP answer. What nobody foresaw is logged whole and answered blank. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Answers a request with the problem that an error amounts to. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error);
  const { status } = CATALOGUE[problem.code];
  if (status >= 500) request.log.error({ err: error }, problem.code);
  const instance = request.originalUrl.split('?', 1)[0] ?? '/';
  void reply
    .status(status)
    .headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...problem.facts.headers })
    .send(JSON.stringify(problemDocument(problem, instance)));
}

/** Names the problem that an error amounts to. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = errorCode(error);
  const known = code === undefined ? undefined : FASTIFY_PROBLEMS[code];
  if (known === 'UNSUPPORTED_MEDIA_TYPE')
    return new Problem(known, 'Send the body with "content-type: application/json".');
  if (known !== undefined) return new Problem(known, sentence(error));
  if (isDatabaseUnavailable(error)) {
    return new Problem(
      'DATABASE_UNAVAILABLE',
      'Nothing was changed that was not acknowledged; try again in a moment.',
      {
        headers: { 'retry-after': '1' },
      },
    );
  }
  if (error instanceof HttpException) {
    const status = STATUS_PROBLEMS[error.getStatus()];
    if (status !== undefined) return new Problem(status, sentence(error));
  }
  return new Problem(
    'INTERNAL_ERROR',
    'The request could not be completed; the log has the reason under this request id.',
  );
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
