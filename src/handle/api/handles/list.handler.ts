import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../../access/current-principal.js';
import { type Places, holderOf } from '../../../access/limits/places.js';
import type { Principal } from '../../../access/principal.js';
import { type HandleResponse, invalidResponse, notResponsibleResponse, RESPONSE_CODE } from '../../values/index.js';
import type { Metrics } from '../../../metrics/metrics.js';
import { Problem } from '../../../problem/problem.js';
import { MAX_LISTED_NAMES, type NameList } from '../../../storage/identifiers/name-list.js';
import { sendResponse } from '../send-response.js';
import { noteHandle } from '../handle-routes.js';
import type { HandleFinder } from './handle-finder.js';
import { type HandlesQuery, handlesQuery } from './handles-query.js';
import { requireNoKeyInScript } from './read.handler.js';

/** The start of the Handle of a prefix, which clients may send in place of the prefix. */
const PREFIX_HANDLE = /^0\.NA\//i;

const MAX_NUMBER = 2_147_483_647;

/** `GET /api/handles?prefix=` and `GET /api/prefixes`. */
export class ListHandler {
  constructor(
    private readonly finder: HandleFinder,
    private readonly names: NameList,
    private readonly metrics: Metrics,
    private readonly requiresKeys: boolean,
    private readonly places: Places,
  ) {}

  readonly handles = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = handlesQuery(request);
    requireNoKeyInScript(query, request);
    const { prefix } = query;
    if (prefix === null) {
      const body = { responseCode: RESPONSE_CODE.invalidHandle, message: 'Empty handle invalid' };
      return this.send(reply, query, { status: 400, body });
    }
    noteHandle(request.raw, prefix);
    const principal = principalOf(request);
    this.requireUser(principal);
    const page = pageOf(query);
    if (page === null) {
      return this.send(
        reply,
        query,
        invalidResponse(prefix, 'page and pageSize must be numbers from 0 to 2147483647.'),
      );
    }
    const known = await this.finder.visible(principal);
    const authority = known.find(prefix.replace(PREFIX_HANDLE, ''));
    if (authority === undefined || !principal.covers(authority.prefix)) {
      return this.send(reply, query, notResponsibleResponse(prefix));
    }
    const foldsCase = authority.caseInsensitive;
    const found = await this.places.run(holderOf(request, reply), () =>
      this.names.page(authority.prefix, foldsCase, page.offset, page.limit),
    );
    if (found === null) return this.send(reply, query, invalidResponse(prefix, TOO_MANY));
    const start = foldsCase ? authority.prefix.toUpperCase() : authority.prefix;
    this.metrics.handleApi('listed');
    const body = {
      responseCode: RESPONSE_CODE.success,
      prefix,
      totalCount: String(found.total),
      ...page.members,
      handles: found.names.map((name) => `${start}/${name}`),
    };
    return sendResponse(reply, { status: 200, body }, query);
  };

  /** The Handles of the prefixes that a key covers. */
  readonly prefixes = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = handlesQuery(request);
    requireNoKeyInScript(query, request);
    const principal = principalOf(request);
    this.requireUser(principal);
    const known = await this.finder.visible(principal);
    const covered = known.all().filter(({ prefix }) => principal.covers(prefix));
    const prefixes = covered.map(({ prefix }) => `0.NA/${prefix}`).sort();
    this.metrics.handleApi('listed');
    const body = { responseCode: RESPONSE_CODE.success, totalCount: String(prefixes.length), prefixes };
    return sendResponse(reply, { status: 200, body }, query);
  };

  /** Rejects anonymous requests for lists even where reading is public, as Handle.Net does. @throws Problem UNAUTHENTICATED */
  private requireUser(principal: Principal): void {
    if (!this.requiresKeys || !principal.isAnonymous) return;
    throw new Problem('UNAUTHENTICATED', 'Send a user and a key: lists of handles are not public.');
  }

  private send(reply: FastifyReply, query: HandlesQuery, response: HandleResponse): FastifyReply {
    this.metrics.handleApi('rejected');
    return sendResponse(reply, response, query);
  }
}

const TOO_MANY = `The prefix has more than ${MAX_LISTED_NAMES} handles, or very long ones; use GET /identifiers/export.`;

/** The range of a list; null for texts that are not numbers. Handle.Net ignores a `pageSize` of 0 without `page`. */
function pageOf({ page, pageSize }: HandlesQuery): { offset: number; limit: number; members: object } | null {
  const [number, size] = [numberIn(page), numberIn(pageSize)];
  if (number === null || size === null) return null;
  if (size === undefined || (size === 0 && number === undefined)) {
    return { offset: number === undefined || number === 0 ? 0 : MAX_NUMBER, limit: MAX_LISTED_NAMES, members: {} };
  }
  const members = { page: number ?? 0, pageSize: size };
  return { offset: Math.min((number ?? 0) * size, MAX_NUMBER), limit: size, members };
}

/** Returns null for a text that is not a number or too large, and undefined without a text. */
function numberIn(text: string | null): number | null | undefined {
  if (text === null) return undefined;
  const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Infinity;
  return number <= MAX_NUMBER ? number : null;
}
