import type { IncomingMessage } from 'node:http';
import type { DirectAnswer, DirectRoute } from '../http/server/direct-answers.js';
import type { Metrics } from '../metrics/metrics.js';
import { redirectPage } from '../record-page/index.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { addressIn } from '../registry/naming-authority-snapshot.js';
import type { HeldRecords } from '../storage/identifiers/cache/cached-resolution.js';
import { type Entrance, RESOLVER_ROUTE } from './entrance.js';
import { RESOLVER_HEADERS } from './face.js';
import { localNamesOf } from './local-names.js';
import { HTML, expiry } from './replies.js';

const FACE_HEADERS = Object.entries(RESOLVER_HEADERS).flat();

/** The same headers as `sendRedirect` sends, as a list: to make one from an object takes several microseconds. */
function headersOf(location: string, cacheControl: string): readonly string[] {
  return [
    ...FACE_HEADERS,
    ...['location', location, 'expires', expiry(), 'cache-control', cacheControl],
    ...['content-type', HTML],
  ];
}

/** The redirects of names that are written without escapes and parameters, which nearly all requests for redirects are. */
export function directRedirects(
  entrance: Entrance,
  records: HeldRecords,
  metrics: Pick<Metrics, 'resolved'>,
  cacheControl: string,
): DirectRoute {
  const answerOf = (record: IdentifierRecord | null): DirectAnswer | null => {
    if (record?.state !== 'active' || record.tombstone !== null || record.target === null) return null;
    // A stored value may lead elsewhere, or for another time.
    if (record.handleValues !== null) return null;
    const body = redirectPage(record.target);
    metrics.resolved('redirected');
    return { status: 302, headers: headersOf(record.target, cacheControl), body, octets: Buffer.byteLength(body) };
  };
  return {
    pattern: RESOLVER_ROUTE,
    read: ({ url = '' }: IncomingMessage) => {
      const reading = entrance.plainName(url);
      if (reading === null) return null;
      const { candidates } = localNamesOf(reading.authority, reading);
      const [localName] = candidates;
      if (localName === undefined || candidates.length > 1) return null;
      const address = addressIn(reading.authority, localName);
      return () => {
        const record = records.held(address);
        return record === undefined ? records.find(address).then(answerOf) : answerOf(record);
      };
    },
  };
}
