import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { principalOf } from '../../../access/current-principal.js';
import { KeyValidity } from '../../../access/key-reads.js';
import type { Principal } from '../../../access/principal.js';
import { Places, holderOf } from '../../../access/limits/places.js';
import { jsonText, prefixElsewhere } from '../../values/index.js';
import { upperAscii } from '../../../registry/upper-ascii.js';
import { availabilityOf } from '../../../registry/availability.js';
import type { NamingAuthority } from '../../../registry/naming-authority.js';
import { IdentifierPages } from '../../../storage/identifiers/identifier-pages.js';
import type { PageCursor } from '../../../storage/identifiers/page-range.js';
import { type HandleApiLabel, Metrics } from '../../../metrics/metrics.js';
import { sendParts, sendText } from '../send-response.js';
import { noteHandle, requiredHandle, HANDLE_ROUTES } from '../handle-routes.js';
import { HandleFinder } from '../handles/handle-finder.js';

/** Maximum number of records of a page. A page of large records has fewer. */
const PAGE = 500;

/** Serves the remote handle resolver of DSpace, a plug-in of the Handle.Net server, which compares prefixes in upper case. */
@Injectable()
export class HdlresolverHandler {
  constructor(
    private readonly finder: HandleFinder,
    private readonly identifiers: IdentifierPages,
    private readonly keys: KeyValidity,
    private readonly metrics: Metrics,
    private readonly places: Places,
  ) {}

  readonly listPrefixes = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const known = await this.finder.visible(principalOf(request));
    const prefixes = known
      .all()
      .map(({ prefix }) => upperAscii(prefix))
      .sort();
    return this.send(reply, 'listed', prefixes);
  };

  readonly resolve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const handle = requiredHandle(request.raw);
    const location = await this.finder.locate(handle, principalOf(request));
    const record = location.kind === 'here' ? await this.finder.find(location) : null;
    if (record === null) return this.send(reply, 'unknown', null);
    if (availabilityOf(record).kind !== 'shown') return this.send(reply, 'withdrawn', null);
    return this.send(reply, 'shown', record.target === null ? null : [record.target]);
  };

  readonly listHandles = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { prefix } = request.params as { readonly prefix: string };
    noteHandle(request.raw, prefix);
    const principal = principalOf(request);
    const authority = (await this.finder.visible(principal)).find(prefix);
    if (authority === undefined) throw prefixElsewhere();
    const found = this.pagesOf(authority, principal, () => !reply.raw.closed);
    const pages = this.places.parts(holderOf(request, reply), found);
    // The first page is read before the response starts, so that a database error still has an error status.
    const first = (await pages.next()).value ?? [];
    this.metrics.handleApi('listed');
    return sendParts(request, reply, arrayOf(first, pages));
  };

  /** Yields the active Handles in the order of minting. No connection is held between pages. */
  private async *pagesOf(
    { prefix, caseInsensitive }: NamingAuthority,
    principal: Principal,
    isWanted: () => boolean,
  ): AsyncGenerator<readonly string[], undefined> {
    let after: PageCursor | undefined;
    do {
      if (after !== undefined) await this.keys.require(principal);
      const filter = { namingAuthority: prefix, state: 'active' } as const;
      const { records, next } = await this.identifiers.page(filter, { limit: PAGE, after, isWanted });
      after = next ?? undefined;
      const names = records.map(({ localName }) => `${prefix}/${localName}`);
      yield caseInsensitive ? names.map(upperAscii) : names;
    } while (after !== undefined);
    return undefined;
  }

  private send(reply: FastifyReply, outcome: HandleApiLabel, body: readonly string[] | null): FastifyReply {
    this.metrics.handleApi(outcome);
    return sendText(reply, 200, jsonText(body));
  }
}

/** After an error, the JSON stays incomplete, so that the client detects the abort. */
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

/** The routes that the remote handle resolver of DSpace calls, without credentials. */
export function addHdlresolverRoutes(server: FastifyInstance, handler: HdlresolverHandler): void {
  const read = { method: ['GET', 'HEAD'], config: { scopes: ['read'] as const } };
  const list = { ...read, config: { ...read.config, lists: true } };
  server.route({ ...list, url: '/hdlresolver/listprefixes', handler: handler.listPrefixes });
  server.route({ ...read, url: HANDLE_ROUTES.resolve, handler: handler.resolve });
  server.route({ ...list, url: '/hdlresolver/listhandles/:prefix', handler: handler.listHandles });
}
