import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onlyReads } from '../http/route-settings.js';
import { type Working, WORK } from './limits/concurrency-limiter.js';
import type { HttpInterfaces } from '../http/http-interface.js';
import type { AccessGuard } from './access.guard.js';
import type { LargeBodies } from './limits/large-bodies.js';
import { limitStreams } from './limits/streams.js';
import type { LimitsGuard } from './limits/limits.guard.js';

/**
 * Limits requests to unknown paths and methods by address. The `onRequest` hook is synchronous. After an asynchronous hook, an invalid body
 * would be reported instead of the unknown path.
 */
export function countUnrouted(server: FastifyInstance, interfaces: HttpInterfaces, limits: LimitsGuard): void {
  server.addHook('onRoute', ({ method, url, config, onRequest }) => {
    // A route that rejects every request does so in its own `onRequest` hook.
    if (config?.scopes !== undefined || onRequest !== undefined || method === 'OPTIONS') return;
    throw new TypeError(`the route ${String(method)} ${url} requires no scope and is not public`);
  });
  server.addHook('onRequest', (request, reply, done) => {
    const isUnrouted = request.routeOptions.config.scopes === undefined;
    if (isUnrouted && !interfaces.of(request).uncounted.test(request.url)) limit(limits, request, reply, done);
    else done();
  });
}

/** Stores the promise of each handler for `ConcurrencyLimiter`, and starts no read for a client that has disconnected. */
export function watchWork(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      if (reply.raw.closed && onlyReads(request)) return undefined;
      const work: unknown = handler.call(this, request, reply);
      if (work instanceof Promise) (reply.raw as Working)[WORK] = work;
      return work;
    };
  });
}

/** Authenticates, authorizes and limits requests to counted routes before their bodies are read, so that a rejection costs little. */
export function admitRequests(
  server: FastifyInstance,
  access: AccessGuard,
  limits: LimitsGuard,
  largeBodies: LargeBodies,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { scopes, uncounted = false } = request.routeOptions.config;
    if (scopes === undefined || uncounted) {
      done();
      return;
    }
    const began = performance.now();
    const lookup = scopes.length === 0 ? null : access.admit(request, scopes);
    if (lookup === null) {
      limit(limits, request, reply, done);
      return;
    }
    void lookup.then(() => {
      reply.waitedMs = performance.now() - began;
      limit(limits, request, reply, done);
    }, done);
  });
  largeBodies.watch(server);
  limitStreams(server);
}

function limit(limits: LimitsGuard, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  try {
    limits.admit(request, reply);
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
