import type { IncomingMessage } from 'node:http';
import { decodeText } from '../http/decode-text.js';

/**
 * The paths that end with a Handle, whose slashes need no escape. The router never matches them by a path: `routeOf` gives
 * them to a request.
 */
export const HANDLE_ROUTES = {
  handles: '/api/handles/{handle}',
  resolve: '/hdlresolver/resolve/{handle}',
} as const;

const PLACEHOLDER = '{handle}';

const HANDLE = Symbol('handle-api:handle');

interface WithHandle {
  [HANDLE]?: string | null;
}

/**
 * The Handle in the path of a request, decoded once as UTF-8; "+" is not a blank.
 * @returns null where the path is not percent-encoded UTF-8, undefined where it has no Handle.
 */
export function handleOf(request: IncomingMessage): string | null | undefined {
  return (request as WithHandle)[HANDLE];
}

/** The route of a request whose path ends with a Handle; null for any other. Notes the Handle. */
export function routeOf(request: IncomingMessage): string | null {
  const path = pathOf(request.url ?? '');
  for (const route of Object.values(HANDLE_ROUTES)) {
    const start = route.length - PLACEHOLDER.length;
    if (path.length === start || !path.startsWith(route.slice(0, start))) continue;
    (request as WithHandle)[HANDLE] = decodeText(path.slice(start));
    return route;
  }
  return null;
}

/** The path of a request target in origin or absolute form (RFC 9112 3.2), with one slash at its start, without query. */
function pathOf(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  let start = 0;
  while (url.startsWith('//', start)) start++;
  const end = url.search(/[?#]/);
  return url.slice(start, end < 0 ? undefined : end);
}
