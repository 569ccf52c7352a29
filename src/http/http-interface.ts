import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A set of routes for one kind of client, with the rules that apply before a handler runs. Paths include the query. */
export interface HttpInterface {
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

/** For interfaces whose every path has the same rules. */
export const NO_EXCEPTIONS = { servedInDrain: NONE, servedInOverload: NONE, uncounted: NONE, routine: NONE };

/** For interfaces that only read: pages of any origin may send each method that they have. */
export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

export class HttpInterfaces {
  private readonly last: HttpInterface;

  /** @param interfaces in order of precedence. The last one also has the paths that no interface has. */
  constructor(private readonly interfaces: readonly [...HttpInterface[], HttpInterface]) {
    this.last = interfaces.at(-1) ?? interfaces[0];
  }

  /** The route that an interface has for a request, in place of its path; null for none. */
  routeOf(request: IncomingMessage): string | null {
    for (const { routeOf } of this.interfaces) {
      const route = routeOf?.(request) ?? null;
      if (route !== null) return route;
    }
    return null;
  }

  of({ url }: Pick<FastifyRequest, 'url'>): HttpInterface {
    return this.interfaces.find(({ paths }) => paths.test(url)) ?? this.last;
  }
}
