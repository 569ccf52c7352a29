import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.js';
import type { Hint } from '../../finding/miss.js';
import {
  type NameLink,
  type PageRecord,
  badRequestPage,
  choicePage,
  hintsFor,
  unknownNamePage,
  withdrawnPage,
} from '../../record-page/index.js';
import {
  type HandleResponse,
  LONG_NAME,
  faultResponse,
  invalidInput,
  notFound as notFoundFault,
  tooLong,
  withdrawn,
} from '../values/index.js';
import type { ResolutionLabel } from '../../metrics/metrics.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { sendProblem } from '../../problem/send-problem.js';
import { Problem } from '../../problem/problem.js';
import { withdrawnProblem } from '../../registry/availability.js';
import { acceptsJson } from '../../http/headers/accept.js';
import { sendApi, sendPage } from './replies.js';
import type { HandleQuery } from '../handle-query.js';

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: HandleQuery;
  readonly principal: Principal;
}

/** The response for a name that cannot be resolved, as a problem, a page and a response of the Handle API. */
export interface Rejection {
  readonly outcome: ResolutionLabel;
  readonly problem: Problem;
  readonly page: () => string;
  readonly api: HandleResponse;
}

const MAX_SHOWN_LENGTH = 512;

/** @param hint the probable error in the name; null if no hint was searched or found. */
export function unknownRejection(handle: string, hint: Hint | null): Rejection {
  const near = hint?.nearest ?? null;
  const hints = [...(hint === null ? [] : [hint.detail]), ...hintsFor(handle)];
  const meant = near === null ? [] : [`The nearest registered name is ${near}.`];
  return notFound(handle, [...meant, ...hints], () =>
    unknownNamePage(cut(handle), hints, near === null ? null : linkTo(near)),
  );
}

/** For a name whose prefix is not in this registry, or is hidden from the client. */
export function foreignRejection(handle: string): Rejection {
  const hints = ['This service does not have the prefix, which is the part before the first "/".'];
  return notFound(handle, hints, () => unknownNamePage(cut(handle), hints));
}

function notFound(handle: string, sentences: readonly string[], page: () => string): Rejection {
  const detail = `${cut(handle)} is not registered. ${sentences.join(' ')}`;
  const problem = new Problem('IDENTIFIER_NOT_FOUND', detail);
  return { outcome: 'unknown', problem, page, api: faultResponse(notFoundFault(), handle) };
}

/** The link to the page of a record at this resolver, even if the record has a target. */
function linkTo(name: string): NameLink {
  const slash = name.indexOf('/');
  return { name, url: `/${name.slice(0, slash)}/${encodeURIComponent(name.slice(slash + 1))}?noredirect` };
}

/** For a text that several identifiers match equally well. @param names `NA/local`, in order of minting. */
export function severalRejection(text: string, names: readonly string[]): Rejection {
  const reason = `Several identifiers match: ${names.join(', ')}.`;
  return { ...malformedRejection(text, reason, '/hdl'), page: () => choicePage(cut(text), names.map(linkTo)) };
}

export function withdrawnRejection(handle: string, page: PageRecord): Rejection {
  return {
    outcome: 'withdrawn',
    problem: withdrawnProblem(page.record),
    page: () => withdrawnPage(page),
    api: faultResponse(withdrawn(page.record.tombstone?.reason ?? ''), handle),
  };
}

export function malformedRejection(handle: string, reason: string, pointer = '#path/handle'): Rejection {
  return {
    outcome: 'rejected',
    problem: new Problem('INVALID_REQUEST', reason, { errors: [{ pointer, detail: reason }] }),
    page: () => badRequestPage(cut(handle), reason),
    api: faultResponse(invalidInput(reason), cut(handle)),
  };
}

export function tooLongRejection(handle: string): Rejection {
  return {
    outcome: 'rejected',
    problem: new Problem('NAME_TOO_LONG', LONG_NAME),
    page: () => badRequestPage(cut(handle), LONG_NAME),
    api: faultResponse(tooLong(), cut(handle)),
  };
}

/** Sends a page, or, if the client requested it, the JSON of `action=api` or a problem document. */
export function sendRejection({ request, reply, query }: Exchange, { problem, page, api }: Rejection): FastifyReply {
  reply.problemCode = problem.code;
  if (query.action === 'api') return sendApi(reply, api, query);
  if (!acceptsJson(request.headers.accept)) return sendPage(reply, CATALOGUE[problem.code].status, page());
  sendProblem(problem, request, reply.header('vary', 'Accept'));
  return reply;
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…`;
}
