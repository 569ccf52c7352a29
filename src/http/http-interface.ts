import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A set of routes for one kind of client, with rules that apply before handlers. The expressions match a path with its query. */
export interface HttpInterface {
  readonly paths: RegExp;
  /** Responses with the same policy share one object. */
  readonly securityHeaders: (path: string) => Readonly<Record<string, string>>;
  readonly servedInDrain: RegExp;
  readonly servedInOverload: RegExp;
  /** Paths to which the limits of rate and concurrency do not apply even if they have no route; `Uncounted` marks the routes. */
  readonly uncounted: RegExp;
  /** Frequent requests of probes and scrapers. They are logged at the level `debug`. */
  readonly routine: RegExp;
  /** Methods that pages of any origin may send: those that only read, or that require a key. */
  readonly anyOrigin: ReadonlySet<string>;
  /** The route of a request that the router cannot find by its path, or null. Must not throw. */
  readonly routeOf?: (request: IncomingMessage) => string | null;
  readonly sendProblem: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}

const NONE = /(?!)/;

export const NO_EXCEPTIONS = { servedInDrain: NONE, servedInOverload: NONE, uncounted: NONE, routine: NONE };

/** The methods that an interface accepts from any origin if it only reads. */
export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

export class HttpInterfaces {
  private readonly last: HttpInterface;

  /** @param interfaces in order of precedence. The last one also serves paths that match no interface. */
  constructor(private readonly interfaces: readonly [...HttpInterface[], HttpInterface]) {
    this.last = interfaces.at(-1) ?? interfaces[0];
  }

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
