import type { IncomingMessage } from 'node:http';
import type { DirectAnswer, DirectRoute } from '../http/server/direct-answers.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Resolver } from '../identifier/index.js';
import { redirectPage } from '../record-page/index.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { MetadataIdScheme } from '../registry/naming-authority.js';
import { addressIn } from '../registry/naming-authority-snapshot.js';
import type { HeldRecords } from '../storage/identifiers/cache/record-cache.js';
import { type Entrance, RESOLVER_ROUTE } from './entrance.js';
import { RESOLVER_HEADERS } from './face.js';
import { identifierLink } from './identifier-links.js';
import { localNamesOf } from './local-names.js';
import { HTML, type RedirectHeaders } from './replies.js';

const CONSTANT_HEADERS = Object.entries({ ...RESOLVER_HEADERS, 'content-type': HTML, vary: 'Accept' }).flat();

/** The same headers as `sendRedirect` sends, as a list: to make one from an object takes several microseconds. */
function headersOf(location: string, redirects: RedirectHeaders, link: string | undefined): readonly string[] {
  return [
    ...CONSTANT_HEADERS,
    ...['location', location, 'expires', redirects.expires(), 'cache-control', redirects.cacheControl],
    ...(link === undefined ? [] : ['link', link]),
  ];
}

/** A media type in `Accept` that a redirect cannot answer. */
const NAMES_LINKSET = /linkset/i;

/**
 * The redirects of names that are written without escapes and parameters, which nearly all requests for redirects are.
 * @param resolver the resolver of naming authorities that have none of their own.
 */
export function directRedirects(
  entrance: Entrance,
  records: HeldRecords,
  metrics: Pick<Metrics, 'resolved'>,
  redirects: RedirectHeaders,
  resolver: Resolver,
): DirectRoute {
  const answerOf = (record: IdentifierRecord | null, scheme: MetadataIdScheme): DirectAnswer | null => {
    if (record?.state !== 'active' || record.target === null) return null;
    // A stored value may lead elsewhere, or for another time.
    if (record.handleValues !== null) return null;
    const body = redirectPage(record.target);
    metrics.resolved('redirected');
    const headers = headersOf(record.target, redirects, identifierLink(record, scheme, resolver));
    return { status: 302, headers, body, octets: Buffer.byteLength(body) };
  };
  return {
    pattern: RESOLVER_ROUTE,
    read: ({ url = '', headers: { accept } }: IncomingMessage) => {
      if (accept !== undefined && NAMES_LINKSET.test(accept)) return null;
      const reading = entrance.plainName(url);
      if (reading === null) return null;
      const { candidates } = localNamesOf(reading.authority, reading);
      const [localName] = candidates;
      if (localName === undefined || candidates.length > 1) return null;
      const address = addressIn(reading.authority, localName);
      const scheme = reading.authority.metadataIdScheme;
      return () => {
        const record = records.held(address);
        if (record !== undefined) return answerOf(record, scheme);
        return records.find(address).then((found) => answerOf(found, scheme));
      };
    },
  };
}
