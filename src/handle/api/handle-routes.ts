import type { IncomingMessage } from 'node:http';
import { decodeText, pathOf } from '../../http/request-target.js';
import { invalidInput } from '../values/index.js';

/** The routes whose paths end with a Handle, with unescaped slashes. The router does not match them by path; `routeOf` assigns them. */
export const HANDLE_ROUTES = {
  handles: '/api/handles/{handle}',
  resolve: '/hdlresolver/resolve/{handle}',
} as const;

const PLACEHOLDER = '{handle}';

export interface RequestedHandle {
  /** The Handle as the client wrote it, decoded once as UTF-8, or undecoded if it is malformed. "+" does not stand for a space. */
  readonly handle: string;
  readonly isMalformed: boolean;
}

const REQUESTED = Symbol('handle:requested');

interface WithHandle {
  [REQUESTED]?: RequestedHandle;
}

const NONE: RequestedHandle = Object.freeze({ handle: '', isMalformed: false });

/** The Handle that a request names; empty if it names none. */
export function requestedHandle(request: IncomingMessage): RequestedHandle {
  return (request as WithHandle)[REQUESTED] ?? NONE;
}

/** The Handle in the path. @throws HandleFault code 4 for a path that is not percent-encoded UTF-8 */
export function requiredHandle(request: IncomingMessage): string {
  const { handle, isMalformed } = requestedHandle(request);
  if (isMalformed) throw invalidInput('The path is not percent-encoded UTF-8.');
  return handle;
}

/** Sets the Handle that error responses contain, for a request whose path does not end with a Handle. */
export function noteHandle(request: IncomingMessage, handle: string): void {
  (request as WithHandle)[REQUESTED] = { handle, isMalformed: false };
}

const STARTS = Object.values(HANDLE_ROUTES).map((route) => ({ route, start: route.slice(0, -PLACEHOLDER.length) }));

/** The route of a request whose path ends with a Handle; null for any other request. Stores the Handle with the request. */
export function routeOf(request: IncomingMessage): string | null {
  const given = pathOf(request.url ?? '') ?? '';
  // The router treats several slashes at the start as one.
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
