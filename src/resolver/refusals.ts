import type { FastifyReply, FastifyRequest } from 'fastify';
import { type PageRecord, badRequestPage, hintsFor, unknownNamePage, withdrawnPage } from '../record-page/index.js';
import { type ApiAnswer, invalidAnswer, notFoundAnswer, withdrawnAnswer } from '../handle-values/index.js';
import type { ResolutionLabel } from '../metrics/metrics.js';
import { CATALOGUE } from '../problem/catalogue.js';
import { sendProblem } from '../problem/send-problem.js';
import { Problem } from '../problem/problem.js';
import { nativeText, serializeTombstone } from '../registry/identifier-record.js';
import { MAX_LOCAL_NAME_OCTETS } from '../registry/canonical-name.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import { acceptsJson } from './accepted-types.js';
import { rulesOf } from './name-rules.js';
import { sendApi, sendPage } from './replies.js';
import type { ResolveQuery } from './resolve-query.js';

/** A request about a name that leads nowhere, in each form of a response. */
export interface Refusal {
  readonly outcome: ResolutionLabel;
  readonly problem: Problem;
  readonly page: () => string;
  readonly api: ApiAnswer;
}

/** The most characters of a name in a response; a longer one is cut. */
const MAX_SHOWN_LENGTH = 512;

/** @param authority null for a prefix of others. */
export function unknownRefusal(handle: string, authority: NamingAuthority | null): Refusal {
  const foreign = ['This service does not have the prefix, which is the part before the first "/".'];
  const hints = authority === null ? foreign : [...rulesOf(authority), ...hintsFor(handle)];
  return {
    outcome: 'unknown',
    problem: new Problem('IDENTIFIER_NOT_FOUND', `${cut(handle)} is not registered. ${hints.join(' ')}`),
    page: () => unknownNamePage(cut(handle), hints),
    api: notFoundAnswer(handle),
  };
}

export function withdrawnRefusal(handle: string, page: PageRecord): Refusal {
  const { record } = page;
  const tombstone = serializeTombstone(record);
  const instead = tombstone?.replacedBy == null ? '' : ` Use ${tombstone.replacedBy} instead.`;
  const reason = tombstone?.reason ?? '';
  const detail = `${nativeText(record)} was withdrawn: ${reason}${instead}`;
  return {
    outcome: 'withdrawn',
    problem: new Problem('IDENTIFIER_WITHDRAWN', detail, { members: { identifier: nativeText(record), tombstone } }),
    page: () => withdrawnPage(page),
    api: withdrawnAnswer(handle, reason),
  };
}

/** @param pointer the part of the request. */
export function malformedRefusal(handle: string, reason: string, pointer = '#path/handle'): Refusal {
  return {
    outcome: 'refused',
    problem: new Problem('INVALID_REQUEST', reason, { errors: [{ pointer, detail: reason }] }),
    page: () => badRequestPage(cut(handle), reason),
    api: invalidAnswer(cut(handle), reason),
  };
}

export function tooLongRefusal(handle: string): Refusal {
  const reason = `A local name has at most ${MAX_LOCAL_NAME_OCTETS} octets; this one is longer.`;
  return {
    outcome: 'refused',
    problem: new Problem('NAME_TOO_LONG', reason),
    page: () => badRequestPage(cut(handle), reason),
    api: invalidAnswer(cut(handle), reason, CATALOGUE.NAME_TOO_LONG.status),
  };
}

/** Sends a page, or what the client requested: the JSON of `action=api`, or a problem document. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  query: ResolveQuery,
  { problem, page, api }: Refusal,
): FastifyReply {
  if (query.action === 'api') return sendApi(reply, api, query);
  if (!acceptsJson(request.headers.accept)) return sendPage(reply, CATALOGUE[problem.code].status, page());
  sendProblem(problem, request, reply.header('vary', 'Accept'));
  return reply;
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…`;
}
