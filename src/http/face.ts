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
  readonly sendProblem: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}

export class Faces {
  private readonly last: Face;

  /** @param faces in order of precedence. The last one also has the paths that no face has. */
  constructor(private readonly faces: readonly [Face, ...Face[]]) {
    this.last = faces.at(-1) ?? faces[0];
  }

  of({ url }: Pick<FastifyRequest, 'url'>): Face {
    return this.faces.find(({ paths }) => paths.test(url)) ?? this.last;
  }
}
