import type { FastifyReply, FastifyRequest } from 'fastify';
import { OPEN_ACCESS, type Principal } from '../../access/principal.js';
import { sendStream } from '../../http/body/send-stream.js';
import { type HandleQuery, NO_QUERY, acceptedQueries } from '../handle-query.js';
import { type HandleResponse, apiText, faultResponse, HandleFault, RESPONSE_CODE } from '../values/index.js';
import { CATALOGUE, type ProblemCode } from '../../problem/catalogue.js';
import { Problem, headersOf } from '../../problem/problem.js';
import { problemOf } from '../../problem/send-problem.js';
import { logFailure } from '../../problem/log-failure.js';
import { requestedHandle } from './handle-routes.js';

const JSON_TYPE = 'application/json;charset=utf-8';

/** Sends a response in the format of Handle.Net. As at Handle.Net, `Accept` has no effect. */
export function sendResponse(
  reply: FastifyReply,
  { status, body }: HandleResponse,
  { pretty, callback }: Pick<HandleQuery, 'pretty' | 'callback'> = NO_QUERY,
): FastifyReply {
  return sendText(reply, status, apiText(body, pretty, callback), callback !== null);
}

/** Sends JSON or a script. Caches must revalidate the response, because the record, or its absence, can change at any time. */
export function sendText(reply: FastifyReply, status: number, text: string, isScript = false): FastifyReply {
  const type = isScript ? 'application/javascript;charset=utf-8' : JSON_TYPE;
  return reply.code(status).headers({ 'content-type': type, 'cache-control': 'no-cache' }).send(text);
}

/** Sends JSON in parts, with the headers of `sendText`. */
export function sendParts(request: FastifyRequest, reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply {
  void reply.code(200).headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-cache' });
  sendStream(request, reply, parts);
  return reply;
}

/** Rejects an anonymous request, even if reading is public, unless access is open. @throws Problem UNAUTHENTICATED */
export function requireUser(principal: Principal, detail: string): void {
  if (principal.isAnonymous && principal !== OPEN_ACCESS) throw new Problem('UNAUTHENTICATED', detail);
}

/** Response code (RFC 3652 2.2.2.2) of each problem. Unlisted problems use `error` below the status 500, otherwise `failure`. */
const CODES: Partial<Record<ProblemCode, number>> = {
  UNAUTHENTICATED: RESPONSE_CODE.authenticationNeeded,
  SCOPE_MISSING: RESPONSE_CODE.notAuthorized,
  NAMING_AUTHORITY_FORBIDDEN: RESPONSE_CODE.notAuthorized,
  RATE_LIMITED: RESPONSE_CODE.serverTooBusy,
  CONCURRENCY_LIMITED: RESPONSE_CODE.serverTooBusy,
  OVERLOADED: RESPONSE_CODE.serverTooBusy,
  SHUTTING_DOWN: RESPONSE_CODE.serverTooBusy,
  IDENTIFIER_NOT_FOUND: RESPONSE_CODE.handleNotFound,
  IDENTIFIER_TAKEN: RESPONSE_CODE.handleExists,
  GUID_TAKEN: RESPONSE_CODE.handleExists,
  METADATA_ID_TAKEN: RESPONSE_CODE.valueInvalid,
};

/** HTTP status of each problem that has another status in the REST API. */
const STATUSES: Partial<Record<ProblemCode, number>> = { UNSUPPORTED_MEDIA_TYPE: 400 };

/** Sends an error in the form for Handle clients. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { handle } = requestedHandle(request.raw);
  if (error instanceof HandleFault) {
    sendResponse(reply, faultResponse(error, handle), acceptedQueries.get(request));
    return;
  }
  const problem = problemOf(error, request);
  const { code } = problem;
  reply.problemCode = code;
  const status = STATUSES[code] ?? CATALOGUE[code].status;
  if (status >= 500) logFailure(error, request, code);
  const body = {
    responseCode: CODES[code] ?? (status < 500 ? RESPONSE_CODE.error : RESPONSE_CODE.failure),
    message: code === 'NOT_FOUND' ? unknownEndpoint(request) : problem.detail,
    ...(handle !== '' && { handle }),
  };
  const challenge = status === 401 && { 'www-authenticate': 'Basic realm="handle"' };
  sendResponse(reply.headers({ ...headersOf(problem), ...challenge }), { status, body });
}

function unknownEndpoint({ method, originalUrl }: FastifyRequest): string {
  return `Unknown HTTP API endpoint ${method} ${originalUrl.split('?', 1)[0] ?? '/'}`;
}
