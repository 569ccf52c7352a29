import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../problem/problem.js';
import { hintFor } from './unescaped-slash.js';

/**
 * Responds to methods that a known path does not support: OPTIONS with 204 and all others with 405, both with `Allow` (RFC 9110 9.3.7,
 * 15.5.6). Registers these methods as routes, so that the router alone decides which paths exist.
 */
export class MethodNotAllowed {
  private readonly byPattern = new Map<string, Set<string>>();
  private complete = false;

  /** Records the registered routes, and rejects unknown paths before a body is read. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', ({ is404, method, originalUrl }, _reply, done) => {
      if (is404) done(unknownPath(method, originalUrl));
      else done();
    });
    server.addHook('onRoute', ({ url, method }) => {
      if (!this.complete) this.byPattern.set(url, new Set([...(this.byPattern.get(url) ?? []), method].flat()));
    });
  }

  /** Registers the remaining methods of every recorded route; must be the last plugin. */
  readonly addTheOthers: FastifyPluginCallback = (server, _options, done) => {
    this.complete = true;
    for (const method of METHODS_WITH_PATH) {
      if (!server.supportedMethods.includes(method)) server.addHttpMethod(method);
    }
    for (const [url, methods] of this.byPattern) {
      const others = METHODS_WITH_PATH.filter((method) => !methods.has(method));
      const respond = respondToOther([...new Set([...methods, 'OPTIONS'])].sort().join(', '));
      // `respond` is also a hook, so that the body is not read.
      server.route({ method: others, url, onRequest: respond, handler: respond });
    }
    done();
  };
}

/** Maximum length of a path in a detail. Longer paths would make costly responses. */
const MAX_SHOWN = 1000;

export function unknownPath(method: string, target: string): Problem {
  const [path = ''] = target.split('?', 1);
  const shown = path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;
  return new Problem('NOT_FOUND', `Cannot ${method} ${shown}${hintFor(path)}`);
}

/** All methods of Node's HTTP parser except CONNECT, whose target is not a path. */
export const METHODS_WITH_PATH = METHODS.filter((method) => method !== 'CONNECT');

function respondToOther(allow: string): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async ({ method }, reply) => {
    if (method === 'OPTIONS') return reply.status(204).header('allow', allow).send();
    throw new Problem('METHOD_NOT_ALLOWED', `Method ${method} is not allowed; allowed methods: ${allow}.`, {
      headers: { allow },
    });
  };
}
