import type { FastifyInstance } from 'fastify';
import { invalidRequest, pointerStep } from '../../problem/problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for pages and documents, whose query has no meaning. */
    ignoresQuery?: boolean;
    /** Whether the operation has no query parameters. Other operations validate theirs. */
    rejectsQuery?: boolean;
  }
}

const MAX_NAME = 100;

/** Rejects query parameters of operations without parameters, because a misspelled or misplaced parameter would have no effect. */
export function rejectUnknownParameters(server: FastifyInstance): void {
  // Runs after "onRequest", which authenticates, and before the body is read.
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (!request.url.includes('?') || request.routeOptions.config.rejectsQuery !== true) {
      done(null, payload);
      return;
    }
    const [name] = Object.keys(request.query as object);
    if (name === undefined) done(null, payload);
    else done(unknownParameter(name.slice(0, MAX_NAME)));
  });
}

function unknownParameter(name: string): Error {
  return invalidRequest(`#query/${pointerStep(name)}`, `"${name}" is not a parameter of this request, which has none`);
}
