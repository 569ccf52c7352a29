import { HttpStatus, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../../access/principal.js';
import { securityHeaders } from '../../http/server/security-headers.js';
import type { Uris } from '../../identifier/index.js';
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
import { availabilityOf } from '../../registry/availability.js';
import { IS_RESOLVER_SET } from '../../registry/default-resolver.module.js';
import { locationOf } from '../../registry/identifier-path.js';
import type { RecordUrls } from '../../registry/typed-links.js';
import { HistoryReads } from '../../storage/replica/history-reads.js';
import type { Found } from './lookup.service.js';

export const HTML = 'text/html';

/** The headers of a page. */
export const PAGE_HEADERS = {
  ...securityHeaders(PAGE_CONTENT_SECURITY_POLICY),
  'content-type': `${HTML}; charset=utf-8`,
};

/** The headers of a page in place of a problem document. */
export const NO_STORE_PAGE_HEADERS = { ...PAGE_HEADERS, 'cache-control': 'no-store' };

/** Pages of records for browsers; see `record-page/`. */
@Injectable()
export class RecordPages {
  constructor(
    private readonly histories: HistoryReads,
    @Inject(IS_RESOLVER_SET) private readonly isResolverSet: boolean,
  ) {}

  /**
   * The page of a record that the principal can see, also of a withdrawn one.
   * @param urls where the service serves the record, and its history if the principal can see it.
   */
  async of(
    { record, metadataIdScheme }: Omit<Found, 'uriParts' | 'repairs'>,
    uris: Uris,
    { record: canonicalUrl, history: historyUrl }: RecordUrls,
    { seesActors }: Principal,
  ): Promise<string> {
    const history =
      historyUrl === null ? null : await this.histories.lastOfIdentifier(record.id, MAX_PAGE_EVENTS, seesActors);
    const isPublic = this.isResolverSet || record.resolver !== null;
    const own = { record, uris, isPublic, metadataIdScheme, canonicalUrl };
    const shown = { ...own, values: null, history, ...(historyUrl !== null && { historyUrl }) };
    return availabilityOf(record).kind === 'shown' ? recordPage(shown) : withdrawnPage(shown);
  }
}

/**
 * Sets the status of a name that is not registered.
 * @param name as the request has it, decoded.
 * @param hint what is probably wrong with it; null where that is not known.
 * @returns the page.
 */
export function showUnknown(name: string, hint: Hint | null, reply: FastifyReply): string {
  void reply.status(HttpStatus.NOT_FOUND).headers(NO_STORE_PAGE_HEADERS);
  const nearest = hint?.nearest ?? null;
  const hints = [...(hint === null ? [] : [hint.detail]), ...hintsFor(name)];
  const link = nearest === null ? null : { name: nearest, url: locationOf({ identifier: nearest }) };
  return unknownNamePage(name, hints, link);
}

/**
 * Sets the status of a GUID that several identifiers have.
 * @param names `NA/local`.
 * @returns the page, or JSON.
 */
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
