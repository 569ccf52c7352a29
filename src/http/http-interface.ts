import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A set of routes for one kind of client, with the rules that apply before a handler runs. Paths include the query. */
export interface Face {
  readonly paths: RegExp;
  /** The security headers of a response, with its Content-Security-Policy; the same object for the same policy. */
  readonly securityHeaders: (path: string) => Readonly<Record<string, string>>;
  /** The paths that are served during the drain. */
  readonly servedInDrain: RegExp;
  /** The paths that are served during an overload. */
  readonly servedInOverload: RegExp;
  /** The paths without limits of rate and concurrency, also where no route exists. */
  readonly uncounted: RegExp;
  /** The frequent paths of probes and scrapers, whose requests are logged at the level `debug`. */
  readonly routine: RegExp;
  /** The methods with which pages of any origin may send requests: those that only read, or that require a key. */
  readonly anyOrigin: ReadonlySet<string>;
  /** The route of a request that the router cannot find by its path; null for all others. Must not throw. */
  readonly routeOf?: (request: IncomingMessage) => string | null;
  readonly sendProblem: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}

const NONE = /(?!)/;

/** For faces whose every path has the same rules. */
export const NO_EXCEPTIONS = { servedInDrain: NONE, servedInOverload: NONE, uncounted: NONE, routine: NONE };

/** For faces that only read: pages of any origin may send each method that they have. */
export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

export class Faces {
  private readonly last: Face;

  /** @param faces in order of precedence. The last one also has the paths that no face has. */
  constructor(private readonly faces: readonly [...Face[], Face]) {
    this.last = faces.at(-1) ?? faces[0];
  }

  /** The route that a face has for a request, in place of its path; null for none. */
  routeOf(request: IncomingMessage): string | null {
    for (const { routeOf } of this.faces) {
      const route = routeOf?.(request) ?? null;
      if (route !== null) return route;
    }
    return null;
  }

  of({ url }: Pick<FastifyRequest, 'url'>): Face {
    return this.faces.find(({ paths }) => paths.test(url)) ?? this.last;
  }
}
