import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../access/current-principal.js';
import type { Principal } from '../../access/principal.js';
import { sendStream } from '../../http/body/send-stream.js';
import {
  HandleFault,
  RESPONSE_CODE,
  invalidInput,
  isPublic,
  jsonText,
  valueJson,
  valuesOf,
} from '../../handle-values/index.js';
import type { Metrics } from '../../metrics/metrics.js';
import { Problem } from '../../problem/problem.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import type { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import {
  type FoundName,
  MAX_SEARCH_MS,
  type SearchResult,
  type ValueQuery,
  type ValueSearch,
} from '../../storage/identifiers/value-search.js';
import { sendText } from '../answers/send-answer.js';
import { noteHandle } from '../entrance.js';
import type { HandleFinder } from '../handles/handle-finder.js';
import { Turns } from '../turns.js';
import { searchRequest } from './search-query.js';

/** Searches that run at once: each can use a processor of the database for `MAX_SEARCH_MS`. */
const MAX_CONCURRENT_SEARCHES = 2;

const MAX_WAITING_SEARCHES = 50;

/** Results that are in memory until their clients have read them: each can have some megabytes. */
const MAX_CONCURRENT_RESULTS = 8;

/** Records that are read at once; one can have 1.6 MB. */
const RECORDS_AT_ONCE = 20;

/** The reverse look-up of Handles by their values, as the servlet of EUDAT answers it: bare JSON. */
export class HrlsHandler {
  private readonly results = new Turns(MAX_CONCURRENT_RESULTS);
  private readonly searches = new Turns(MAX_CONCURRENT_SEARCHES, MAX_WAITING_SEARCHES, 2 * MAX_SEARCH_MS);

  constructor(
    private readonly finder: HandleFinder,
    private readonly values: ValueSearch,
    private readonly reader: Pick<IdentifierReader, 'findByIds'>,
    private readonly metrics: Metrics,
    private readonly requiresKeys: boolean,
  ) {}

  /** `GET /hrls/handles` and `GET /hrls/handles/{prefix}`: a list of Handles, or an object of their values. */
  readonly search = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const principal = principalOf(request);
    this.requireUser(principal);
    const known = await this.finder.visible(principal);
    const { prefix } = request.params as { readonly prefix?: string };
    if (prefix !== undefined) noteHandle(request.raw, prefix);
    const namingAuthorities = searchedIn(known, principal, prefix);
    const { terms, limit, offset, retrievesRecords } = searchRequest(request, known);
    await this.results.require(reply.raw);
    const found = terms === null ? [] : await this.find({ terms, namingAuthorities, limit, offset });
    if (found === 'slow') throw invalidInput(TOO_SLOW);
    if (found === 'large') throw invalidInput('The handles of this result are too long: use a smaller limit.');
    this.metrics.handleApi('listed');
    if (!retrievesRecords) return sendText(reply, 200, jsonText(found.map(({ handle }) => handle)));
    void reply.code(200).headers({ 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-cache' });
    sendStream(request, reply, this.records(found));
    return reply;
  };

  private find(query: ValueQuery): Promise<SearchResult> {
    return this.searches.run(() => this.values.find(query));
  }

  /** A JSON object: each Handle with its values that everybody may read, as `/api/handles` has them. */
  private async *records(found: readonly FoundName[]): AsyncGenerator<string, undefined> {
    yield '{';
    for (let start = 0; start < found.length; start += RECORDS_AT_ONCE) {
      const part = found.slice(start, start + RECORDS_AT_ONCE);
      const records = await this.reader.findByIds(part.map(({ id }) => id));
      const byId = new Map(records.map((record) => [record.id, record]));
      const members = part.map(({ id, handle }) => {
        const record = byId.get(id);
        const shown = record === undefined ? [] : valuesOf(record).filter(isPublic).map(valueJson);
        return `${jsonText(handle)}:${jsonText(shown)}`;
      });
      yield `${start === 0 ? '' : ','}${members.join(',')}`;
    }
    yield '}';
    return undefined;
  }

  /** A search reads more than any other request, so it needs a user also where reading is open. @throws Problem UNAUTHENTICATED */
  private requireUser(principal: Principal): void {
    if (!this.requiresKeys || !principal.isAnonymous) return;
    throw new Problem('UNAUTHENTICATED', 'Send a user and a key: searches are not public.');
  }
}

const TOO_SLOW =
  `The search took more than ${MAX_SEARCH_MS / 1000} seconds. Search below a prefix (/hrls/handles/{prefix}), ` +
  'or for an exact URL or METADATA_ID, which have an index.';

/**
 * The naming authorities that a key covers, or the one of a prefix; null for all.
 * @throws HandleFault code 301 for a prefix that is not here or that the key does not cover.
 */
function searchedIn(
  known: NamingAuthoritySnapshot,
  principal: Principal,
  prefix: string | undefined,
): readonly string[] | null {
  if (prefix !== undefined) {
    const authority = known.find(prefix);
    if (authority !== undefined && principal.covers(authority.prefix)) return [authority.prefix];
    throw new HandleFault(RESPONSE_CODE.prefixElsewhere, "That prefix doesn't live here");
  }
  if (!principal.isRestricted) return null;
  return known.all().flatMap(({ prefix: each }) => (principal.covers(each) ? [each] : []));
}
