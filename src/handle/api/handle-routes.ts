import type { IncomingMessage } from 'node:http';
import { decodeText, pathOf } from '../../http/request-target.js';

/**
 * The paths that end with a Handle, whose slashes need no escape. The router never matches them by a path: `routeOf` gives
 * them to a request.
 */
export const HANDLE_ROUTES = {
  handles: '/api/handles/{handle}',
  resolve: '/hdlresolver/resolve/{handle}',
} as const;

const PLACEHOLDER = '{handle}';

/** The Handle that a request names. */
export interface RequestedHandle {
  /** As the client spelled it, decoded once as UTF-8; "+" is not a blank. Not decoded where that is not possible. */
  readonly handle: string;
  readonly isMalformed: boolean;
}

const REQUESTED = Symbol('handle:requested');

interface WithHandle {
  [REQUESTED]?: RequestedHandle;
}

const NONE: RequestedHandle = Object.freeze({ handle: '', isMalformed: false });

/** The Handle that a request names in its path; empty where it names none. */
export function requestedHandle(request: IncomingMessage): RequestedHandle {
  return (request as WithHandle)[REQUESTED] ?? NONE;
}

/** Notes a Handle that is not in the path, for the responses to this request. */
export function noteHandle(request: IncomingMessage, handle: string): void {
  (request as WithHandle)[REQUESTED] = { handle, isMalformed: false };
}

const STARTS = Object.values(HANDLE_ROUTES).map((route) => ({ route, start: route.slice(0, -PLACEHOLDER.length) }));

/** The route of a request whose path ends with a Handle; null for any other. Notes the Handle. */
export function routeOf(request: IncomingMessage): string | null {
  const given = pathOf(request.url ?? '') ?? '';
  // The router takes several slashes at the start for one.
  const path = given.startsWith('//') ? given.replace(/^\/+/, '/') : given;
  for (const { route, start } of STARTS) {
    if (path.length === start.length || !path.startsWith(start)) continue;
    const raw = path.slice(start.length);
    const handle = decodeText(raw);
    (request as WithHandle)[REQUESTED] = { handle: handle ?? raw, isMalformed: handle === null };
    return route;
  }
  return null;
}
