import type { FastifyInstance } from 'fastify';
import { invalidRequest, pointerStep } from '../../problem/problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the query has no meaning and is not rejected, as for pages and documents. */
    ignoresQuery?: boolean;
    /** Whether the operation has no query parameters. Others validate theirs. */
    rejectsQuery?: boolean;
  }
}

/** Characters of a name that an error repeats. */
const MAX_NAME = 100;

/** Rejects query parameters of operations that have none: a misspelled or misplaced one would have no effect. */
export function rejectUnknownParameters(server: FastifyInstance): void {
  // After "onRequest", which authenticates, and before the body.
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.routeOptions.config.rejectsQuery !== true || !request.url.includes('?')) {
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
