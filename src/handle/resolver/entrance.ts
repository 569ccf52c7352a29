import type { IncomingMessage } from 'node:http';
import { type PathReading, firstSegmentOf, isReservedPath, readPath } from '../../finding/read-path.js';
import { type NamingAuthority, isReservedSegment } from '../../registry/naming-authority.js';
import type { LatestAuthorities } from '../../registry/naming-authority-snapshot.js';
import { decodeText, pathOf } from '../../http/request-target.js';

/** The route of the resolver. The router does not match it by path; `routeOf` assigns it to requests. */
export const RESOLVER_ROUTE = '/{handle}';

/** The subject of a request, read from its path before routing. */
export type Entry =
  | { readonly kind: 'form' }
  | { readonly kind: 'malformed'; readonly raw: string }
  | (PathReading & {
      readonly kind: 'name';
      /** The path as the client wrote it. */
      readonly path: string;
      /** Whether the naming authorities must be read again to decide whether the resolver serves the path. */
      readonly isDoubtful: boolean;
    });

export interface EntranceRules {
  /** Whether names with an unknown prefix are redirected to another resolver. */
  readonly hasUpstream: boolean;
  /** Whether reading requires a key, so that a path must not reveal which prefixes exist. */
  readonly isClosed: boolean;
  readonly hasFrontPage: boolean;
}

const ENTRY = Symbol('resolver:entry');

interface WithEntry {
  [ENTRY]?: Entry;
}

export function entryOf(request: IncomingMessage): Entry | undefined {
  return (request as WithEntry)[ENTRY];
}

const PLAIN_PATH = /^\/[!$&-;=@A-Z_a-z~]+$/;

/** Decides by the path which requests the resolver serves: those that name a known prefix, and those that `EntranceRules` add. */
export class Entrance {
  private known: LatestAuthorities = { latest: null, isCurrent: false };

  constructor(private readonly rules: EntranceRules) {}

  use(known: LatestAuthorities): void {
    this.known = known;
  }

  readonly routeOf = (request: IncomingMessage): string | null => {
    const entry = this.read(request);
    if (entry !== null) {
      (request as WithEntry)[ENTRY] = entry;
      return RESOLVER_ROUTE;
    }
    // The resolver does not serve the literal path of its route. The returned route does not exist, so the status is 404.
    const path = pathOf(request.url ?? '');
    const isRoute = path?.startsWith('/{') === true || path?.startsWith('/%') === true;
    return isRoute && decodeText(path) === RESOLVER_ROUTE ? `${RESOLVER_ROUTE}/` : null;
  };

  /** The name in a path that is a known prefix, "/" and printable ASCII without escapes, query and fragment; else null. */
  plainName(target: string): (PathReading & { readonly authority: NamingAuthority }) | null {
    const { latest } = this.known;
    if (latest === null || !PLAIN_PATH.test(target)) return null;
    const slash = target.indexOf('/', 1);
    const first = target.slice(1, slash);
    const authority = slash < 0 || isReservedSegment(first) ? undefined : latest.find(first);
    return authority === undefined ? null : { authority, handle: target.slice(1), isMarked: true };
  }

  /** Reads the path again after the naming authorities were read; null if the resolver does not serve the path. */
  reread(request: IncomingMessage, target: string): Entry | null {
    const entry = this.read(request, target);
    if (entry === null || (entry.kind === 'name' && entry.isDoubtful)) return null;
    (request as WithEntry)[ENTRY] = entry;
    return entry;
  }

  private read(request: IncomingMessage, target = request.url ?? ''): Entry | null {
    const path = pathOf(target);
    const { latest, isCurrent } = this.known;
    if (path === null || latest === null) return null;
    if (path === '/') return this.hasForm(request.method) ? { kind: 'form' } : null;
    if (isReservedPath(path)) return null;
    const { isClosed, hasUpstream } = this.rules;
    if (isClosed && !/\/|%2f/i.test(path.slice(1))) return null;
    const first = firstSegmentOf(path.slice(1));
    const authority = first.includes('%') ? undefined : latest.find(first);
    if (authority !== undefined) return nameIn(path, authority);
    const reading = readPath(path, latest, request.headers.host ?? '');
    if (reading === null) return isClosed ? malformedIn(path) : null;
    if (reading.authority !== null) return { kind: 'name', path, ...reading, isDoubtful: false };
    if (!reading.handle.includes('/')) return null;
    const isServed = isClosed || (hasUpstream && reading.isMarked);
    return isCurrent && !isServed ? null : { kind: 'name', path, ...reading, isDoubtful: !isCurrent };
  }

  private hasForm(method: string | undefined): boolean {
    return this.rules.hasFrontPage || (method !== 'GET' && method !== 'HEAD');
  }
}

function nameIn(path: string, authority: NamingAuthority): Entry {
  const handle = decodeText(path.slice(1));
  if (handle === null) return malformedIn(path);
  return { kind: 'name', path, authority, handle, isMarked: true, isDoubtful: false };
}

function malformedIn(path: string): Entry {
  return { kind: 'malformed', raw: path.slice(1) };
}
