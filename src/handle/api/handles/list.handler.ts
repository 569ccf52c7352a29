import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../../access/current-principal.js';
import { Places, holderOf } from '../../../access/limits/places.js';
import { type HandleQuery, handleQuery } from '../../handle-query.js';
import { HandleFault, invalidInput, MAX_INDEX, numberIn, prefixElsewhere, RESPONSE_CODE } from '../../values/index.js';
import { upperAscii } from '../../../registry/upper-ascii.js';
import { Metrics } from '../../../metrics/metrics.js';
import { MAX_LISTED_NAMES, NameList } from '../../../storage/identifiers/name-list.js';
import { requireUser, sendResponse } from '../send-response.js';
import { noteHandle } from '../handle-routes.js';
import { HandleFinder } from './handle-finder.js';

/** The start of the Handle of a prefix. Clients may send this Handle in place of the prefix. */
const PREFIX_HANDLE = /^0\.NA\//i;

/** As at Handle.Net, anonymous requests for lists are rejected unless access is open, even if reading is public. */
const NOT_PUBLIC = 'Send a user and a key: lists of handles are not public.';

/** `GET`, `HEAD` and `POST` of `/api/handles?prefix=` and `/api/prefixes`. Both list only what the key covers. */
@Injectable()
export class ListHandler {
  constructor(
    private readonly finder: HandleFinder,
    private readonly names: NameList,
    private readonly metrics: Metrics,
    private readonly places: Places,
  ) {}

  readonly handles = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = handleQuery(request);
    const { prefix } = query;
    if (prefix === null) throw new HandleFault(RESPONSE_CODE.invalidHandle, 'Empty handle invalid');
    noteHandle(request.raw, prefix);
    const principal = principalOf(request);
    requireUser(principal, NOT_PUBLIC);
    const page = pageOf(query);
    if (page === null) throw invalidInput('page and pageSize must be numbers from 0 to 2147483647.');
    const known = await this.finder.visible(principal);
    const authority = known.find(prefix.replace(PREFIX_HANDLE, ''));
    if (authority === undefined || !principal.covers(authority.prefix)) throw prefixElsewhere();
    const foldsCase = authority.caseInsensitive;
    const found = await this.places.run(holderOf(request, reply), () =>
      this.names.page(authority.prefix, foldsCase, page.offset, page.limit),
    );
    if (found === null) throw invalidInput(TOO_MANY);
    const start = foldsCase ? upperAscii(authority.prefix) : authority.prefix;
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

  readonly prefixes = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = handleQuery(request);
    const principal = principalOf(request);
    requireUser(principal, NOT_PUBLIC);
    const known = await this.finder.visible(principal);
    const covered = known.all().filter(({ prefix }) => principal.covers(prefix));
    const prefixes = covered.map(({ prefix }) => `0.NA/${prefix}`).sort();
    this.metrics.handleApi('listed');
    const body = { responseCode: RESPONSE_CODE.success, totalCount: String(prefixes.length), prefixes };
    return sendResponse(reply, { status: 200, body }, query);
  };
}

const TOO_MANY = `The prefix has more than ${MAX_LISTED_NAMES} handles, or very long ones; use GET /identifiers/export.`;

/** The range of a list; null for an invalid number. As at Handle.Net, a `pageSize` of 0 without `page` has no effect. */
function pageOf({ page, pageSize }: HandleQuery): { offset: number; limit: number; members: object } | null {
  const [number, size] = [page, pageSize].map((text) => (text === null ? undefined : numberIn(text)));
  if (number === null || size === null) return null;
  if (size === undefined || (size === 0 && number === undefined)) {
    return { offset: number === undefined || number === 0 ? 0 : MAX_INDEX, limit: MAX_LISTED_NAMES, members: {} };
  }
  const members = { page: number ?? 0, pageSize: size };
  return { offset: Math.min((number ?? 0) * size, MAX_INDEX), limit: size, members };
}
