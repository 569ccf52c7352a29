import { HttpStatus, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.js';
import { securityHeaders } from '../../http/server/security-headers.js';
import type { Uris } from '@mintmark/identifier';
import type { Hint } from '../../finding/miss.js';
import {
  MAX_PAGE_EVENTS,
  PAGE_CONTENT_SECURITY_POLICY,
  choicePage,
  hintsFor,
  recordPage,
  unknownNamePage,
  withdrawnPage,
} from '../../record-page/index.js';
import { availabilityOf, blockedByLinks, withdrawnProblem } from '../../registry/availability.js';
import { IS_RESOLVER_SET, BLOCKED_BY_URL } from '../../registry/setting-tokens.js';
import { handleIn } from '../../registry/neighbor-uri.js';
import { IS_REPLACED_BY, type RecordUrls, LINKSET, linksetOf, typedLinksOf } from '../../registry/typed-links.js';
import { HistoryService } from '../../history/history.service.js';
import type { Found } from '../../finding/lookup.service.js';
import { isStored, viewTagOf } from '../../http/headers/entity-tags.js';
import { linkHeaderOf } from '../../http/headers/links.js';
import { ownOrigin } from '../../http/headers/request-headers.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { Problem } from '../../problem/problem.js';
import { type IdentifierRecord, locationOf } from '../../registry/identifier-record.js';
import type { IdentifierDto } from '../representation/identifier.dto.js';
import { IdentifierPresenter, SerializedIdentifier } from '../representation/identifier-presenter.js';

export const HTML = 'text/html';

const PAGE_HEADERS = {
  ...securityHeaders(PAGE_CONTENT_SECURITY_POLICY),
  'content-type': `${HTML}; charset=utf-8`,
};

const REVALIDATED = { 'cache-control': 'no-cache' };

const NO_STORE_PAGE_HEADERS = { ...PAGE_HEADERS, 'cache-control': 'no-store' };

/** Sets the status and the headers for a name that is not registered. @returns the page. */
export function showUnknown(name: string, hint: Hint | null, reply: FastifyReply): string {
  void reply.status(HttpStatus.NOT_FOUND).headers(NO_STORE_PAGE_HEADERS);
  const nearest = hint?.nearest ?? null;
  const hints = [...(hint === null ? [] : [hint.detail]), ...hintsFor(name)];
  const link = nearest === null ? null : { name: nearest, url: locationOf({ identifier: nearest }) };
  return unknownNamePage(name, hints, link);
}

/** Sets the status and the headers for a GUID that several identifiers have. @param names `NA/local`. @returns the page, or JSON. */
export function showChoices(text: string, names: readonly string[], type: string | null, reply: FastifyReply): string {
  void reply.status(HttpStatus.AMBIGUOUS);
  if (type === HTML) {
    void reply.headers(NO_STORE_PAGE_HEADERS);
    return choicePage(
      text,
      names.map((name) => ({ name, url: locationOf({ identifier: name }) })),
    );
  }
  void reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  return `${JSON.stringify({ candidates: names })}\n`;
}

/** The media type that `Accept` names; null for JSON. */
export type ViewType = typeof HTML | typeof LINKSET | null;

export interface Viewing {
  readonly principal: Principal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Responds with a record as JSON, page or link set, each with a separate entity tag (RFC 9110 8.8.3). */
@Injectable()
export class RecordViews {
  constructor(
    private readonly presenter: IdentifierPresenter,
    private readonly histories: HistoryService,
    @Inject(IS_RESOLVER_SET) private readonly isResolverSet: boolean,
    @Inject(BLOCKED_BY_URL) private readonly blockedByUrl: string | null,
  ) {}

  /**
   * @returns the body; undefined for 304. JSON, the most frequent type, is returned without a promise.
   * @throws Problem IDENTIFIER_WITHDRAWN or IDENTIFIER_BLOCKED, except for a page.
   */
  show(found: Found, type: ViewType, viewing: Viewing): Promise<string | undefined> | string | undefined {
    const { record, repairs, metadataIdScheme } = found;
    const { principal, reply } = viewing;
    const shown = this.presenter.show(record);
    if (availabilityOf(record).kind !== 'shown') {
      const problem = withdrawnProblem(record);
      const link = this.linksOf(record);
      if (type !== HTML) throw this.forReinstatement(problem, link, { record, shown, principal });
      void reply.status(CATALOGUE[problem.code].status).headers({ ...NO_STORE_PAGE_HEADERS, ...link });
      return this.pageOf(found, shown.uris, urlsOf(shown, principal), principal);
    }
    const urls = urlsOf(shown, principal);
    const links = linkHeaderOf(typedLinksOf(record, shown.uris, urls, metadataIdScheme));
    const link = links === undefined ? {} : { link: links };
    if (type === null) {
      const written = new SerializedIdentifier(shown);
      if (isStored(viewing, { ...link, etag: written.entityTag, ...REVALIDATED }, shown)) return undefined;
      return written.toResponse(reply, repairs.length > 0 ? { repairs } : null);
    }
    return this.showView(found, type, { ...viewing, uris: shown.uris, urls, link });
  }

  /** Responds with a record that is not withdrawn as a page or a link set. */
  private async showView(
    found: Found,
    type: typeof HTML | typeof LINKSET,
    {
      principal,
      request,
      reply,
      uris,
      urls,
      link,
    }: Viewing & { uris: Uris; urls: RecordUrls; link: { link?: string } },
  ): Promise<string | undefined> {
    const { record, metadataIdScheme } = found;
    const body =
      type === HTML
        ? await this.pageOf(found, uris, urls, principal)
        : `${JSON.stringify(linksetOf(record, uris, atOrigin(urls, request), metadataIdScheme))}\n`;
    // A 304 also has these headers, because a cache updates the headers of its stored page from a 304 (RFC 9111 3.2).
    const headers = { ...link, ...(type === HTML ? PAGE_HEADERS : { 'content-type': LINKSET }) };
    const isKnown = isStored({ request, reply }, { ...headers, etag: viewTagOf(body), ...REVALIDATED });
    return isKnown ? undefined : body;
  }

  private async pageOf(
    { record, metadataIdScheme }: Found,
    uris: Uris,
    { record: canonicalUrl, history: historyUrl }: RecordUrls,
    principal: Principal,
  ): Promise<string> {
    const history = historyUrl === null ? null : await this.histories.last(record, MAX_PAGE_EVENTS, principal);
    const isPublic = this.isResolverSet || record.resolver !== null;
    const own = { record, uris, isPublic, metadataIdScheme, canonicalUrl };
    const shown = { ...own, values: null, history, ...(historyUrl !== null && { historyUrl }) };
    return availabilityOf(record).kind === 'shown' ? recordPage(shown) : withdrawnPage(shown);
  }

  private linksOf(record: IdentifierRecord): { readonly link?: string } {
    const replacedBy = record.tombstone?.replacedBy ?? null;
    const replacement = replacedBy === null ? [] : [{ rel: IS_REPLACED_BY, href: hrefOf(replacedBy) }];
    const link = linkHeaderOf([...blockedByLinks(record, this.blockedByUrl), ...replacement]);
    return link === undefined ? {} : { link };
  }

  private forReinstatement(
    { code, detail, extensions }: Problem,
    link: { readonly link?: string },
    { record, shown, principal }: { record: IdentifierRecord; shown: IdentifierDto; principal: Principal },
  ): Problem {
    const seen = principal.curates(record.namingAuthority) ? { record: shown } : {};
    return new Problem(code, detail, {
      members: { ...extensions.members, version: record.version, ...seen },
      headers: { etag: new SerializedIdentifier(shown).entityTag, ...link },
    });
  }
}

function hrefOf(replacedBy: string): string {
  const handle = handleIn(replacedBy);
  return handle === null ? replacedBy : locationOf({ identifier: handle.text });
}

function urlsOf(shown: Pick<IdentifierDto, 'identifier'>, { seesHistory }: Principal): RecordUrls {
  const record = locationOf(shown);
  return { record, history: seesHistory ? `${record}/history` : null };
}

function atOrigin({ record, history }: RecordUrls, request: FastifyRequest): RecordUrls {
  const origin = ownOrigin(request) ?? '';
  return { record: origin + record, history: history === null ? null : origin + history };
}
