import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../access/current-principal.js';
import type { Principal } from '../../access/principal.js';
import { unknownPath } from '../../http/server/method-not-allowed.js';
import { type Resolver, type Uris, urisOf } from '@mintmark/identifier';
import { invalidResponse, selectValues, valuesResponse, valuesOf } from '../values/index.js';
import type { Metrics } from '../../metrics/metrics.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { blockedByLinks, withdrawnProblem } from '../../registry/availability.js';
import { type IdentifierRecord, identifierOf, serializeRecord } from '../../registry/identifier-record.js';
import { isShown } from '../../registry/stored-value.js';
import {
  LINKSET,
  identifierLinksOf,
  identifierLinksetOf,
  resolverPageLinksOf,
  resolverPathOf,
} from '../../registry/typed-links.js';
import { MAX_PAGE_EVENTS, type PageRecord, formPage, recordPage } from '../../record-page/index.js';
import type { HistoryReads } from '../../storage/replica/reads.js';
import { acceptsJson, acceptsLinkset } from '../../http/headers/accept.js';
import { entryOf } from './entrance.js';
import { type HandleResolver, type Resolution, urlAt } from './handle-resolver.js';
import { destinationOf, withAppended } from './destination/destination.js';
import { identifierLink, linkOf, linkable } from './identifier-links.js';
import { locationsXml, pageValues } from './page-values.js';
import type { PastedTexts } from './pasted-texts.js';
import { NO_QUERY, type ResolveQuery, queryIn, showsRecord, visibleQuery } from './resolve-query.js';
import {
  type Rejection,
  foreignRejection,
  malformedRejection,
  severalRejection,
  sendRejection,
  tooLongRejection,
  unknownRejection,
  withdrawnRejection,
} from './rejections.js';
import {
  type RedirectAges,
  RedirectHeaders,
  sendApi,
  sendDestination,
  sendPage,
  sendRedirect,
  sendText,
  sendUpstream,
  setLink,
} from './replies.js';

type Registered = Extract<Resolution, { readonly record: IdentifierRecord }>;

export interface ResolverSettings {
  /** The resolver of naming authorities that have no separate resolver. */
  readonly resolver: Resolver;
  /** Whether the operator has set the resolver, so that its URLs lead to the records. */
  readonly isResolverSet: boolean;
  /** The resolver for foreign prefixes; null for none. */
  readonly upstream: Resolver | null;
  readonly redirectAges: RedirectAges;
  /** The URL of the party that blocks identifiers withdrawn for a legal reason; null for none. */
  readonly blockedByUrl: string | null;
}

/** Serves the requests that `Entrance` has read. */
export class ResolverHandler {
  readonly redirects: RedirectHeaders;

  constructor(
    private readonly resolver: HandleResolver,
    private readonly histories: Pick<HistoryReads, 'lastOfIdentifier'>,
    private readonly metrics: Metrics,
    readonly settings: ResolverSettings,
    private readonly texts: PastedTexts,
  ) {
    this.redirects = new RedirectHeaders(settings.redirectAges);
  }

  readonly handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const entry = entryOf(request.raw);
    if (entry === undefined) throw unknownPath(request.method, request.originalUrl);
    const principal = principalOf(request);
    const form = request.body instanceof URLSearchParams ? request.body : null;
    const query = queryIn(request);
    if (entry.kind === 'name') {
      const { resolver } = this;
      const ownHost = request.headers.host ?? '';
      const isRestricted = principal.hasRestrictedView;
      const reading = isRestricted ? await resolver.readFor(principal, entry.path, ownHost) : entry;
      return this.respond(request, reply, query, await resolver.resolve(reading, principal), principal);
    }
    if (entry.kind === 'malformed') {
      const reason = 'The path is not percent-encoded UTF-8: write "%" and two hexadecimal digits for each byte.';
      return this.reject(request, reply, query, malformedRejection(entry.raw, reason));
    }
    if (request.method !== 'POST') return sendPage(reply, 200, formPage());
    const text = form?.get('hdl') ?? '';
    if (text.trim() === '') {
      return this.reject(request, reply, query, malformedRejection('', 'Send the identifier in the field "hdl".'));
    }
    return this.respond(request, reply, query, await this.texts.resolve(text, request.host, principal), principal);
  };

  private async respond(
    request: FastifyRequest,
    reply: FastifyReply,
    query: ResolveQuery,
    resolution: Resolution,
    principal: Principal,
  ): Promise<FastifyReply> {
    const { kind, handle } = resolution;
    switch (kind) {
      case 'active':
        return this.respondWithRecord(request, reply, query, resolution, principal);
      case 'withdrawn':
        return this.respondWithdrawn(request, reply, query, resolution, principal);
      case 'unknown':
        return this.reject(request, reply, query, await this.unknown(handle, query, principal));
      case 'several':
        return this.reject(request, reply, query, severalRejection(handle, resolution.names));
      case 'malformed':
        return this.reject(request, reply, query, malformedRejection(handle, resolution.reason));
      case 'tooLong':
        return this.reject(request, reply, query, tooLongRejection(handle));
      case 'foreign':
        return this.respondForeign(request, reply, query, resolution);
    }
  }

  private async respondWithRecord(
    request: FastifyRequest,
    reply: FastifyReply,
    query: ResolveQuery,
    { handle, record, metadataIdScheme }: Registered,
    principal: Principal,
  ): Promise<FastifyReply> {
    if (query.action !== 'api') {
      if (acceptsLinkset(request.headers.accept)) return this.sendLinks(reply, 200, record, principal);
      const linked = linkable(record, metadataIdScheme, principal);
      setLink(reply, identifierLink(linked, metadataIdScheme, this.settings.resolver));
    }
    if (query === NO_QUERY && record.target !== null && record.handleValues === null) {
      this.metrics.resolved('redirected');
      return sendRedirect(reply, record.target, this.redirects);
    }
    const redirect = this.redirect(request, reply, query, { handle, record }, this.settings.redirectAges);
    if (redirect !== null) return redirect;
    const values = selectValues(valuesOf(record).filter(isShown), query);
    if (query.action === 'api') {
      const isInvalid = query.hasInvalidIndex;
      this.metrics.resolved(isInvalid ? 'rejected' : 'shown');
      const message = 'Each index must be a number from 1 to 2147483647.';
      return sendApi(reply, isInvalid ? invalidResponse(handle, message) : valuesResponse(handle, values), query);
    }
    this.metrics.resolved('shown');
    if (query.action === 'showurls') return sendText(reply, 200, 'text/xml; charset=utf-8', locationsXml(values));
    const page = await this.pageOf(request, query, record, principal);
    if (acceptsJson(request.headers.accept)) {
      const json = JSON.stringify(serializeRecord(page.record, page.uris));
      return sendText(reply, 200, 'application/json; charset=utf-8', json);
    }
    const linked = linkable(page.record, metadataIdScheme, principal);
    setLink(reply, linkOf(resolverPageLinksOf(linked, page.uris, metadataIdScheme)));
    const path = resolverPathOf(page.uris);
    // Without `noredirect`, the URL of a name that has a target leads to the target.
    const canonicalUrl = path === null ? {} : { canonicalUrl: `${path}?noredirect` };
    return sendPage(reply, 200, recordPage({ ...page, ...canonicalUrl, values: pageValues(values) }));
  }

  /**
   * Redirects for a record with stored values, or for a request with parameters.
   * @param ages null where the record is not that of `handle`.
   * @returns null where the record is shown.
   */
  private redirect(
    request: FastifyRequest,
    reply: FastifyReply,
    query: ResolveQuery,
    { handle, record }: Pick<Registered, 'handle' | 'record'>,
    ages: RedirectAges | null,
  ): FastifyReply | null {
    if (showsRecord(query)) return null;
    const values = selectValues(valuesOf(record).filter(isShown), query);
    const destination = destinationOf(values, record, query, Math.random());
    if (destination === null) return null;
    const whole = withAppended(destination, query, request.originalUrl);
    if ('rejection' in whole) {
      return this.reject(request, reply, query, malformedRejection(handle, whole.rejection, '#query/urlappend'));
    }
    this.metrics.resolved('redirected');
    return sendDestination(reply, whole, ages);
  }

  private async respondWithdrawn(
    request: FastifyRequest,
    reply: FastifyReply,
    query: ResolveQuery,
    { handle, record, metadataIdScheme }: Registered,
    principal: Principal,
  ): Promise<FastifyReply> {
    if (query.action !== 'api' && acceptsLinkset(request.headers.accept)) {
      return this.sendLinks(reply, CATALOGUE[withdrawnProblem(record).code].status, record, principal);
    }
    const survivor = showsRecord(query) ? null : await this.resolver.survivorOf(record, principal);
    if (survivor !== null) {
      // The links are those of the requested identifier, not those of its replacement.
      const linked = linkable(record, metadataIdScheme, principal);
      setLink(reply, identifierLink(linked, metadataIdScheme, this.settings.resolver));
      // Aliases are ignored, because an alias of the survivor can be the name of the duplicate.
      const followed = { ...query, ignoresAliases: true };
      const redirect = this.redirect(request, reply, followed, { handle, record: survivor }, null);
      if (redirect !== null) return redirect;
    }
    const page = await this.pageOf(request, query, record, principal);
    if (query.action !== 'api') {
      const linked = linkable(page.record, metadataIdScheme, principal);
      const links = identifierLinksOf(linked, page.uris, metadataIdScheme);
      setLink(reply, linkOf([...blockedByLinks(record, this.settings.blockedByUrl), ...links]));
    }
    return this.reject(request, reply, query, withdrawnRejection(handle, page));
  }

  /** Sends the link set of an identifier, active or withdrawn (RFC 9264). */
  private async sendLinks(
    reply: FastifyReply,
    status: number,
    cached: IdentifierRecord,
    principal: Principal,
  ): Promise<FastifyReply> {
    this.metrics.resolved(status === 200 ? 'shown' : 'withdrawn');
    const { record, metadataIdScheme } = await this.resolver.whole(cached);
    const linked = linkable(record, metadataIdScheme, principal);
    const set = identifierLinksetOf(linked, this.urisOf(record), metadataIdScheme);
    setLink(reply, linkOf(blockedByLinks(record, this.settings.blockedByUrl)));
    return sendText(reply, status, LINKSET, `${JSON.stringify(set)}\n`);
  }

  /** Omits the hint with `action=api`, because programs do not use it and it needs a search. */
  private async unknown(handle: string, { action }: ResolveQuery, principal: Principal): Promise<Rejection> {
    return unknownRejection(handle, action === 'api' ? null : await this.texts.hintFor(handle, principal));
  }

  /** @throws Problem NOT_FOUND, as for every other unknown path. */
  private respondForeign(
    request: FastifyRequest,
    reply: FastifyReply,
    query: ResolveQuery,
    { handle, isMarked }: Extract<Resolution, { readonly kind: 'foreign' }>,
  ): FastifyReply {
    const { upstream } = this.settings;
    // A redirect to this service would be a loop.
    const isElsewhere = isMarked && upstream !== null && upstream.authority !== request.host.toLowerCase();
    const url = isElsewhere ? urlAt(upstream, handle) : null;
    if (url !== null) {
      this.metrics.resolved('upstream');
      return sendUpstream(reply, url + visibleQuery(request.originalUrl));
    }
    if (entryOf(request.raw)?.kind === 'name') throw unknownPath(request.method, request.originalUrl);
    return this.reject(request, reply, query, foreignRejection(handle));
  }

  /** Includes the history if the response is a page. */
  private async pageOf(
    { headers }: FastifyRequest,
    { action }: ResolveQuery,
    record: IdentifierRecord,
    principal: Principal,
  ): Promise<PageRecord> {
    // In the records of the cache, `describes` is empty.
    const { record: whole, metadataIdScheme } = await this.resolver.whole(record);
    const shown = principal.redact(whole);
    const uris = this.urisOf(record);
    const isPage = action !== 'api' && !acceptsJson(headers.accept);
    const history =
      isPage && principal.seesHistory
        ? await this.histories.lastOfIdentifier(record.id, MAX_PAGE_EVENTS, principal.seesActors)
        : null;
    const isPublic = this.settings.isResolverSet || record.resolver !== null;
    return { record: shown, uris, isPublic, metadataIdScheme, values: null, history };
  }

  private urisOf(record: IdentifierRecord): Uris {
    return urisOf(identifierOf(record), { resolver: record.resolver ?? this.settings.resolver });
  }

  private reject(
    request: FastifyRequest,
    reply: FastifyReply,
    query: ResolveQuery,
    rejection: Rejection,
  ): FastifyReply {
    this.metrics.resolved(rejection.outcome);
    return sendRejection(request, reply, query, rejection);
  }
}
