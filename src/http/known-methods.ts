import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem/problem.js';

/**
 * Answers the methods that a known path does not have: OPTIONS with 204 and the others with 405, both with `Allow` (RFC
 * 9110 9.3.7, 15.5.6). They are routes of their own, so the router alone decides which path is known.
 */
export class KnownMethods {
  private readonly byPattern = new Map<string, Set<string>>();
  private complete = false;

  /** Remembers every route that is registered from now on. */
  watch(server: FastifyInstance): void {
    server.addHook('onRoute', ({ url, method }) => {
      if (!this.complete) this.byPattern.set(url, new Set([...(this.byPattern.get(url) ?? []), method].flat()));
    });
  }

  /** Adds the other methods of every route that was remembered. It is a plugin, to be registered behind all others. */
  readonly addTheOthers: FastifyPluginCallback = (server, _options, done) => {
    this.complete = true;
    for (const method of METHODS_WITH_PATH) {
      if (!server.supportedMethods.includes(method)) server.addHttpMethod(method);
    }
    for (const [url, methods] of this.byPattern) {
      const others = METHODS_WITH_PATH.filter((method) => !methods.has(method));
      const answer = answerOther([...methods, 'OPTIONS'].sort().join(', '));
      // A hook, because a body that nobody asked for is not read before it.
      server.route({ method: others, url, onRequest: answer, handler: answer });
    }
    done();
  };
}

/** Every method that the parser knows but CONNECT, whose target is no path and which the server of Node hangs up on. */
const METHODS_WITH_PATH = METHODS.filter((method) => method !== 'CONNECT');

function answerOther(allow: string): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async ({ method }, reply) => {
    if (method === 'OPTIONS') return reply.status(204).header('allow', allow).send();
    throw new Problem('METHOD_NOT_ALLOWED', `${method} is not served here; what is: ${allow}.`, {
      headers: { allow },
    });
  };
}
