import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { principalOf } from '../../../access/current-principal.js';
import { type Places, holderOf } from '../../../access/limits/places.js';
import { sendStream } from '../../../http/body/send-stream.js';
import { invalidResponse, jsonText, notResponsibleResponse } from '../../values/index.js';
import { upperAscii } from '../../../registry/upper-ascii.js';
import { availabilityOf } from '../../../registry/availability.js';
import type { HandleApiLabel, Metrics } from '../../../metrics/metrics.js';
import { sendResponse, sendText } from '../send-response.js';
import { noteHandle, requestedHandle, HANDLE_ROUTES } from '../handle-routes.js';
import type { HandleFinder } from '../handles/handle-finder.js';
import type { HandleExport } from './handle-export.js';

/**
 * Serves the remote handle resolver of DSpace, a plug-in of the Handle.Net server. Responses are bare JSON: a list of texts, or
 * `null`. The Handle.Net server sends names in upper case, and compares prefixes in upper case.
 */
export class HdlresolverHandler {
  constructor(
    private readonly finder: HandleFinder,
    private readonly handles: HandleExport,
    private readonly metrics: Metrics,
    private readonly places: Places,
  ) {}

  /** `GET /hdlresolver/listprefixes`: the visible prefixes, in upper case and in the order of their bytes. */
  readonly listPrefixes = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const known = await this.finder.visible(principalOf(request));
    const prefixes = known
      .all()
      .map(({ prefix }) => upperAscii(prefix))
      .sort();
    return this.send(reply, 'listed', prefixes);
  };

  /** `GET /hdlresolver/resolve/{handle}`: a list with the target as its only item, or `null` if there is no target. */
  readonly resolve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { handle, isMalformed } = requestedHandle(request.raw);
    if (isMalformed) {
      this.metrics.handleApi('rejected');
      return sendResponse(reply, invalidResponse(handle, 'The path is not percent-encoded UTF-8.'));
    }
    const location = await this.finder.locate(handle, principalOf(request));
    const record = location.kind === 'here' ? await this.finder.find(location) : null;
    if (record === null) return this.send(reply, 'unknown', null);
    if (availabilityOf(record).kind !== 'shown') return this.send(reply, 'withdrawn', null);
    return this.send(reply, 'shown', record.target === null ? null : [record.target]);
  };

  /** `GET /hdlresolver/listhandles/{prefix}`: the active handles of a prefix, in the order of minting. */
  readonly listHandles = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { prefix } = request.params as { readonly prefix: string };
    noteHandle(request.raw, prefix);
    const principal = principalOf(request);
    const authority = (await this.finder.visible(principal)).find(prefix);
    if (authority === undefined) {
      this.metrics.handleApi('rejected');
      return sendResponse(reply, notResponsibleResponse(prefix));
    }
    const found = this.handles.pages(authority, principal, () => !reply.raw.closed);
    const pages = this.places.parts(holderOf(request, reply), found);
    // Read the first page before the response starts, so that a database error still has an error status.
    const first = (await pages.next()).value ?? [];
    this.metrics.handleApi('listed');
    void reply.code(200).headers({ 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-cache' });
    sendStream(request, reply, arrayOf(first, pages));
    return reply;
  };

  private send(reply: FastifyReply, outcome: HandleApiLabel, body: readonly string[] | null): FastifyReply {
    this.metrics.handleApi(outcome);
    return sendText(reply, 200, jsonText(body));
  }
}

/** The JSON of a list of texts. An error leaves it incomplete, so that the client detects the abort. */
async function* arrayOf(
  first: readonly string[],
  pages: AsyncIterable<readonly string[]>,
): AsyncGenerator<string, undefined> {
  yield `[${membersOf(first)}`;
  let isEmpty = first.length === 0;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${isEmpty ? '' : ','}${membersOf(page)}`;
    isEmpty = false;
  }
  yield ']';
  return undefined;
}

function membersOf(texts: readonly string[]): string {
  return texts.map((text) => jsonText(text)).join(',');
}

/** The routes that the remote handle resolver of DSpace calls. It sends no credentials. */
export function addHdlresolverRoutes(server: FastifyInstance, handler: HdlresolverHandler): void {
  const read = { method: ['GET', 'HEAD'], config: { scopes: ['read'] as const } };
  const list = { ...read, config: { ...read.config, lists: true } };
  server.route({ ...list, url: '/hdlresolver/listprefixes', handler: handler.listPrefixes });
  server.route({ ...read, url: HANDLE_ROUTES.resolve, handler: handler.resolve });
  server.route({ ...list, url: '/hdlresolver/listhandles/:prefix', handler: handler.listHandles });
}
