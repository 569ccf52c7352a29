import type { IncomingMessage } from 'node:http';
import type { DirectAnswer, DirectRoute } from '../../http/server/direct-answers.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { HeldRecords } from '../../storage/identifiers/cache/record-cache.js';
import { locationIn } from '../../changing/handle-location.js';
import type { LatestAuthorities } from '../../registry/naming-authority-snapshot.js';
import { HANDLE_ROUTES } from '../entrance.js';
import { HANDLE_API_HEADERS } from '../face.js';
import { recordText } from './read.handler.js';

/** A Handle in characters that mean themselves. The prefix of a path with two slashes is empty, and not of this service. */
const PLAIN = /^\/api\/handles\/[!$&-;=@A-Z_a-z~]+$/;

const START = HANDLE_ROUTES.handles.indexOf('{');

const HEADERS = [
  ...Object.entries(HANDLE_API_HEADERS).flat(),
  ...['content-type', 'application/json;charset=utf-8', 'cache-control', 'no-cache'],
];

/** The values of Handles that are written without escapes and parameters, for clients without a key. */
export function directReads(
  records: HeldRecords,
  authorities: LatestAuthorities,
  metrics: Pick<Metrics, 'handleApi'>,
): DirectRoute {
  const answerOf = (handle: string, record: IdentifierRecord | null): DirectAnswer | null => {
    if (record?.state !== 'active') return null;
    metrics.handleApi('shown');
    const body = `${recordText(handle, record)}\n`;
    return { status: 200, headers: HEADERS, body, octets: Buffer.byteLength(body) };
  };
  return {
    pattern: HANDLE_ROUTES.handles,
    read: ({ url = '' }: IncomingMessage) => {
      if (!authorities.isCurrent || authorities.latest === null || !PLAIN.test(url)) return null;
      const handle = url.slice(START);
      const location = locationIn(authorities.latest, handle);
      if (location.kind !== 'here' || location.address === null) return null;
      const { address } = location;
      return () => {
        const record = records.held(address);
        if (record !== undefined) return answerOf(handle, record);
        return records.find(address).then((found) => answerOf(handle, found));
      };
    },
  };
}
