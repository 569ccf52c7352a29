import { type Face, READS } from '../http/face.js';
import { DATA_ONLY } from '../http/server/security-headers.js';
import { sendProblem } from './send-answer.js';
import { routeOf } from './entrance.js';

/** The headers of every response. Pages of any origin may read them: they need no cookie, and a key is sent by the page. */
export const HANDLE_API_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Length',
  'content-security-policy': DATA_ONLY,
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Encoding, User-Agent',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

const WRITES = ['PUT', 'DELETE'];

/**
 * What clients of Handle servers call: `/api` of Handle.Net, `/hrls` of its search service, and `/hdlresolver` of DSpace.
 * @param requiresKeys whether writing requires a key, which protects it from pages of other origins.
 */
export function handleApiFace(requiresKeys: boolean): Face {
  const none = /(?!)/;
  return {
    paths: /^\/(?:api|hrls|hdlresolver)(?:[/?]|$)/,
    securityHeaders: () => HANDLE_API_HEADERS,
    servedInDrain: none,
    servedInOverload: none,
    uncounted: none,
    routine: none,
    anyOrigin: requiresKeys ? new Set([...READS, ...WRITES]) : READS,
    routeOf,
    sendProblem,
  };
}
