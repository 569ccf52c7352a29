import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { principalOf } from '../../../access/current-principal.js';
import { Places, holderOf } from '../../../access/limits/places.js';
import type { Principal } from '../../../access/principal.js';
import { invalidInput, jsonText, prefixElsewhere, valueJson, valuesOf } from '../../values/index.js';
import { Metrics } from '../../../metrics/metrics.js';
import type { NamingAuthoritySnapshot } from '../../../registry/naming-authority-snapshot.js';
import { isShown } from '../../../registry/stored-value.js';
import { IdentifierReader } from '../../../storage/identifiers/identifier-reader.js';
import { type FoundName, MAX_SEARCH_MS, ValueSearch } from '../../../storage/identifiers/value-search.js';
import { requireUser, sendParts, sendText } from '../send-response.js';
import { noteHandle } from '../handle-routes.js';
import { HandleFinder } from '../handles/handle-finder.js';
import { searchRequest } from './search-query.js';

/** Maximum number of concurrent searches. Each can use one processor of the database for `MAX_SEARCH_MS`. */
const SEARCH_PLACES = 4;
const SEARCH_SHARE = 2;

const MAX_WAITING_SEARCHES = 50;

/** Number of records that are read at once. An imported record can have 1.6 MB. */
const RECORDS_AT_ONCE = 5;

/** The reverse look-up of Handles by their values. Successful responses are bare JSON, as from the servlet of EUDAT. */
@Injectable()
export class HrlsHandler {
  private readonly searches = new Places(SEARCH_PLACES, SEARCH_SHARE, MAX_WAITING_SEARCHES, 2 * MAX_SEARCH_MS);

  constructor(
    private readonly finder: HandleFinder,
    private readonly values: ValueSearch,
    private readonly reader: IdentifierReader,
    private readonly metrics: Metrics,
    private readonly places: Places,
  ) {}

  readonly search = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const principal = principalOf(request);
    // If writing requires a key, a search also requires one, even if reading is public, because searches read the most data.
    requireUser(principal, 'Send a user and a key: searches are not public.');
    const known = await this.finder.visible(principal);
    const { prefix } = request.params as { readonly prefix?: string };
    if (prefix !== undefined) noteHandle(request.raw, prefix);
    const namingAuthorities = searchedIn(known, principal, prefix);
    const { terms, limit, offset, retrievesRecords } = searchRequest(request, known);
    const holder = holderOf(request, reply);
    const query = { namingAuthorities, limit, offset };
    const found = terms === null ? [] : await this.searches.run(holder, () => this.values.find({ terms, ...query }));
    if (found === 'slow') throw invalidInput(TOO_SLOW);
    if (found === 'large') throw invalidInput('The handles of this result are too long: use a smaller limit.');
    this.metrics.handleApi('listed');
    if (!retrievesRecords) return sendText(reply, 200, jsonText(found.map(({ handle }) => handle)));
    // The response holds one place until it ends, because the names stay in memory until the client has read the last record.
    const records = this.records(found, principal);
    await this.places.parts(holder, [records].values()).next();
    return sendParts(request, reply, records);
  };

  private async *records(found: readonly FoundName[], principal: Principal): AsyncGenerator<string, undefined> {
    yield '{';
    for (let start = 0; start < found.length; start += RECORDS_AT_ONCE) {
      const part = found.slice(start, start + RECORDS_AT_ONCE);
      const records = await this.reader.findByIds(part.map(({ id }) => id));
      const byId = new Map(records.map((record) => [record.id, record]));
      const members = part.map(({ id, handle }) => {
        const record = byId.get(id);
        const shown = record === undefined ? [] : valuesOf(principal.redact(record)).filter(isShown).map(valueJson);
        return `${jsonText(handle)}:${jsonText(shown)}`;
      });
      yield `${start === 0 ? '' : ','}${members.join(',')}`;
    }
    yield '}';
    return undefined;
  }
}

const TOO_SLOW =
  `The search took more than ${MAX_SEARCH_MS / 1000} seconds. Search below a prefix (/hrls/handles/{prefix}), ` +
  'or for an exact URL or METADATA_ID, which have an index.';

/** The naming authorities to search: those that the key covers, or only the one in the path; null for all. */
function searchedIn(
  known: NamingAuthoritySnapshot,
  principal: Principal,
  prefix: string | undefined,
): readonly string[] | null {
  if (prefix !== undefined) {
    const authority = known.find(prefix);
    if (authority !== undefined && principal.covers(authority.prefix)) return [authority.prefix];
    throw prefixElsewhere();
  }
  if (!principal.isRestricted) return null;
  return known.all().flatMap(({ prefix: each }) => (principal.covers(each) ? [each] : []));
}

export function addHrlsRoutes(server: FastifyInstance, handler: HrlsHandler): void {
  const method = ['GET', 'HEAD'];
  server.route({
    method,
    url: '/hrls/ping',
    config: { scopes: [] },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK\n'),
  });
  for (const url of ['/hrls/handles', '/hrls/handles/:prefix']) {
    server.route({ method, url, config: { scopes: ['read'], lists: true }, handler: handler.search });
  }
}
