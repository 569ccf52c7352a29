import { type HttpInterface, NO_EXCEPTIONS, READS } from '../../http/http-interface.js';
import { ANY_ORIGIN_HEADERS, DATA_ONLY } from '../../http/server/security-headers.js';
import { sendProblem } from './send-response.js';
import { routeOf } from './handle-routes.js';

/** Pages of any origin may read responses, because no cookie authenticates a request. */
export const HANDLE_API_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...ANY_ORIGIN_HEADERS,
  'access-control-expose-headers': 'Content-Length',
  'content-security-policy': DATA_ONLY,
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Encoding, User-Agent',
});

const WRITES = ['PUT', 'DELETE'];

/** The interface for clients of Handle servers. If writing requires a key, pages of any origin may send writes. */
export function handleApiInterface(requiresKeys: boolean): HttpInterface {
  return {
    paths: /^\/(?:api|hrls|hdlresolver)(?:[/?]|$)/,
    securityHeaders: () => HANDLE_API_HEADERS,
    ...NO_EXCEPTIONS,
    anyOrigin: requiresKeys ? new Set([...READS, ...WRITES]) : READS,
    routeOf,
    sendProblem,
  };
}
