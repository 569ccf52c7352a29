import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../access/current-principal.js';
import { FindingService } from '../../finding/finding.service.js';
import { unknownPath } from '../../http/server/method-not-allowed.js';
import { type Resolver, type Uris, urisOf } from '@mintmark/identifier';
import { INVALID_INDEX, faultResponse, invalidInput, selectValues, valuesResponse, valuesOf } from '../values/index.js';
import { Metrics } from '../../metrics/metrics.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { blockedByLinks, withdrawnProblem } from '../../registry/availability.js';
import { type IdentifierRecord, identifierOf, nativeText, serializeRecord } from '../../registry/identifier-record.js';
import { areSameHandle } from '../../registry/naming-authority.js';
import { isShown } from '../../registry/stored-value.js';
import {
  LINKSET,
  identifierLinksOf,
  identifierLinksetOf,
  resolverPageLinksOf,
  resolverPathOf,
} from '../../registry/typed-links.js';
import { MAX_PAGE_EVENTS, type PageRecord, formPage, recordPage } from '../../record-page/index.js';
import { HistoryReads } from '../../storage/replica/reads.js';
import { acceptsJson, acceptsLinkset } from '../../http/headers/accept.js';
import { entryOf } from './entrance.js';
import { HandleResolver, type Resolution, urlAt } from './handle-resolver.js';
import { destinationOf, withAppended } from './destination/destination.js';
import { identifierLink, linkOf, linkable } from './identifier-links.js';
import { locationsXml, pageValues } from './page-values.js';
import { NO_QUERY, queryIn, showsRecord, visibleQuery } from '../handle-query.js';
import {
  type Exchange,
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

/** The settings of the resolver. This is a class, because an injection token must exist at run time. */
export abstract class ResolverSettings {
  /** The resolver of naming authorities that have no separate resolver. */
  abstract readonly resolver: Resolver;
  /** Whether the operator has set the resolver, so that its URLs lead to the records. */
  abstract readonly isResolverSet: boolean;
  /** The resolver for foreign prefixes; null for none. */
  abstract readonly upstream: Resolver | null;
  abstract readonly redirectAges: RedirectAges;
  /** The URL of the party that blocks identifiers withdrawn for a legal reason; null for none. */
  abstract readonly blockedByUrl: string | null;
}

/** Serves the requests to which `Entrance` has assigned the route of the resolver. */
@Injectable()
export class ResolverHandler {
  readonly redirects: RedirectHeaders;

  constructor(
    private readonly resolver: HandleResolver,
    private readonly histories: HistoryReads,
    private readonly metrics: Metrics,
    readonly settings: ResolverSettings,
    private readonly finding: FindingService,
  ) {
    this.redirects = new RedirectHeaders(settings.redirectAges);
  }

  readonly handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const entry = entryOf(request.raw);
    if (entry === undefined) throw unknownPath(request.method, request.originalUrl);
    const principal = principalOf(request);
    const exchange = { request, reply, query: queryIn(request), principal };
    if (entry.kind === 'name') {
      const { resolver } = this;
      const ownHost = request.headers.host ?? '';
      const isRestricted = principal.hasRestrictedView;
      const reading = isRestricted ? await resolver.readFor(principal, entry.path, ownHost) : entry;
      return this.respond(exchange, await resolver.resolve(reading, principal));
    }
    if (entry.kind === 'malformed') {
      const reason = 'The path is not percent-encoded UTF-8: write "%" and two hexadecimal digits for each byte.';
      return this.reject(exchange, malformedRejection(entry.raw, reason));
    }
    if (request.method !== 'POST') return sendPage(reply, 200, formPage());
    const text = (request.body instanceof URLSearchParams ? request.body.get('hdl') : null) ?? '';
    if (text.trim() === '') {
      return this.reject(exchange, malformedRejection('', 'Send the identifier in the field "hdl".'));
    }
    return this.respond(exchange, await this.resolver.resolvePasted(text, request.host, principal));
  };

  private async respond(exchange: Exchange, resolution: Resolution): Promise<FastifyReply> {
    const { kind, handle } = resolution;
    switch (kind) {
      case 'active':
        return this.respondWithRecord(exchange, resolution);
      case 'withdrawn':
        return this.respondWithdrawn(exchange, resolution);
      case 'unknown':
        return this.respondUnknown(exchange, handle);
      case 'several':
        return this.reject(exchange, severalRejection(handle, resolution.names));
      case 'malformed':
        return this.reject(exchange, malformedRejection(handle, resolution.reason));
      case 'tooLong':
        return this.reject(exchange, tooLongRejection(handle));
      case 'foreign':
        return this.respondForeign(exchange, handle, resolution.isMarked);
    }
  }

  private async respondWithRecord(exchange: Exchange, resolved: Registered): Promise<FastifyReply> {
    const { request, reply, query, principal } = exchange;
    const { handle, record, authority } = resolved;
    if (query.action !== 'api') {
      if (acceptsLinkset(request.headers.accept)) return this.sendLinks(exchange, 200, record);
      this.linkIdentifier(exchange, resolved);
    }
    if (query === NO_QUERY && record.target !== null && record.handleValues === null) {
      this.metrics.resolved('redirected');
      return sendRedirect(reply, record.target, this.redirects);
    }
    const redirect = this.redirect(exchange, resolved, this.settings.redirectAges);
    if (redirect !== null) return redirect;
    const values = selectValues(valuesOf(record).filter(isShown), query);
    if (query.action === 'api') {
      const isInvalid = query.hasInvalidIndex || query.isVarious;
      this.metrics.resolved(isInvalid ? 'rejected' : 'shown');
      return sendApi(
        reply,
        isInvalid ? faultResponse(invalidInput(INVALID_INDEX), handle) : valuesResponse(handle, values),
        query,
      );
    }
    this.metrics.resolved('shown');
    if (query.action === 'showurls') return sendText(reply, 200, 'text/xml; charset=utf-8', locationsXml(values));
    const page = await this.pageOf(exchange, record);
    if (acceptsJson(request.headers.accept)) {
      const json = JSON.stringify(serializeRecord(page.record, page.uris));
      return sendText(reply, 200, 'application/json; charset=utf-8', json);
    }
    const linked = linkable(page.record, authority.metadataIdScheme, principal);
    setLink(reply, linkOf(resolverPageLinksOf(linked, page.uris, authority.metadataIdScheme)));
    const path = resolverPathOf(page.uris);
    // Without `noredirect`, the URL of a name that has a target leads to the target.
    const canonicalUrl = path === null ? {} : { canonicalUrl: `${path}?noredirect` };
    return sendPage(reply, 200, recordPage({ ...page, ...canonicalUrl, values: pageValues(values) }));
  }

  private linkIdentifier({ reply, principal }: Exchange, { record, authority }: Registered): void {
    const linked = linkable(record, authority.metadataIdScheme, principal);
    setLink(reply, identifierLink(linked, authority.metadataIdScheme, this.settings.resolver));
  }

  /** Returns null for no redirect. @param ages null if the record is the survivor of the record of `handle`. */
  private redirect(
    exchange: Exchange,
    { handle, record, authority }: Registered,
    ages: RedirectAges | null,
  ): FastifyReply | null {
    const { request, reply, query } = exchange;
    if (showsRecord(query)) return null;
    const values = selectValues(valuesOf(record).filter(isShown), query);
    const isSelf = (name: string): boolean => areSameHandle(authority, name, nativeText(record));
    const destination = destinationOf(values, isSelf, query, Math.random());
    if (destination === null) return null;
    const whole = withAppended(destination, query, request.originalUrl);
    if ('rejection' in whole) {
      return this.reject(exchange, malformedRejection(handle, whole.rejection, '#query/urlappend'));
    }
    this.metrics.resolved('redirected');
    return sendDestination(reply, whole, ages);
  }

  private async respondWithdrawn(exchange: Exchange, resolved: Registered): Promise<FastifyReply> {
    const { request, reply, query, principal } = exchange;
    const { handle, record, authority } = resolved;
    if (query.action !== 'api' && acceptsLinkset(request.headers.accept)) {
      return this.sendLinks(exchange, CATALOGUE[withdrawnProblem(record).code].status, record);
    }
    const survivor = showsRecord(query) ? null : await this.resolver.survivorOf(record, principal);
    if (survivor !== null) {
      // The links belong to the requested identifier, not to its replacement.
      this.linkIdentifier(exchange, resolved);
      // Aliases are ignored, because an alias of the survivor can be the name of the duplicate.
      const followed = { ...exchange, query: { ...query, ignoresAliases: true } };
      const redirect = this.redirect(followed, { ...resolved, record: survivor }, null);
      if (redirect !== null) return redirect;
    }
    const page = await this.pageOf(exchange, record);
    if (query.action !== 'api') {
      const linked = linkable(page.record, authority.metadataIdScheme, principal);
      const links = identifierLinksOf(linked, page.uris, authority.metadataIdScheme);
      setLink(reply, linkOf([...blockedByLinks(record, this.settings.blockedByUrl), ...links]));
    }
    return this.reject(exchange, withdrawnRejection(handle, page));
  }

  /** Sends the link set (RFC 9264) of an active or withdrawn identifier. */
  private async sendLinks(
    { reply, principal }: Exchange,
    status: number,
    cached: IdentifierRecord,
  ): Promise<FastifyReply> {
    this.metrics.resolved(status === 200 ? 'shown' : 'withdrawn');
    const { record, metadataIdScheme } = await this.resolver.whole(cached);
    const linked = linkable(record, metadataIdScheme, principal);
    const set = identifierLinksetOf(linked, this.urisOf(record), metadataIdScheme);
    setLink(reply, linkOf(blockedByLinks(record, this.settings.blockedByUrl)));
    return sendText(reply, status, LINKSET, `${JSON.stringify(set)}\n`);
  }

  /** Omits the hint with `action=api`, because programs do not use the hint, which requires a search. */
  private async respondUnknown(exchange: Exchange, handle: string): Promise<FastifyReply> {
    const { query, principal } = exchange;
    const hint = query.action === 'api' ? null : await this.finding.hintFor(handle, principal);
    return this.reject(exchange, unknownRejection(handle, hint));
  }

  private respondForeign(exchange: Exchange, handle: string, isMarked: boolean): FastifyReply {
    const { request, reply } = exchange;
    const { upstream } = this.settings;
    // A redirect to this service would be a loop.
    const isElsewhere = isMarked && upstream !== null && upstream.authority !== request.host.toLowerCase();
    const url = isElsewhere ? urlAt(upstream, handle) : null;
    if (url !== null) {
      this.metrics.resolved('upstream');
      return sendUpstream(reply, url + visibleQuery(request.originalUrl));
    }
    if (entryOf(request.raw)?.kind === 'name') throw unknownPath(request.method, request.originalUrl);
    return this.reject(exchange, foreignRejection(handle));
  }

  private async pageOf({ request, query, principal }: Exchange, record: IdentifierRecord): Promise<PageRecord> {
    // In the records of the cache, `describes` is empty.
    const { record: whole, metadataIdScheme } = await this.resolver.whole(record);
    const shown = principal.redact(whole);
    const uris = this.urisOf(record);
    const isPage = query.action !== 'api' && !acceptsJson(request.headers.accept);
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

  private reject(exchange: Exchange, rejection: Rejection): FastifyReply {
    this.metrics.resolved(rejection.outcome);
    return sendRejection(exchange, rejection);
  }
}
