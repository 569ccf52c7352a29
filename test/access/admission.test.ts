import { describe, expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { countUnrouted } from '../../src/access/admission.js';
import type { LimitsGuard } from '../../src/access/limits/limits.guard.js';
import { HttpInterfaces } from '../../src/http/http-interface.js';
import { REST_API as restApi } from '../../src/api/rest-interface.js';

describe('the routes of a server', () => {
  function serverWithHook() {
    const server = fastify();
    countUnrouted(server, new HttpInterfaces([restApi]), {} as LimitsGuard);
    return server;
  }

  const handler = () => 'ok';

  test('a route with neither scopes nor Public() cannot be registered', () => {
    const server = serverWithHook();
    expect(() => server.route({ method: 'GET', url: '/open', handler })).toThrow(
      new TypeError('the route GET /open requires no scope and is not public'),
    );
  });

  test('routes with scopes, public routes, and routes that reject in a hook can be registered', () => {
    const server = serverWithHook();
    const onRequest = () => Promise.reject(new Error('rejected'));
    server.route({ method: 'GET', url: '/read', config: { scopes: ['read'] }, handler });
    server.route({ method: 'GET', url: '/public', config: { scopes: [] }, handler });
    server.route({ method: 'PATCH', url: '/read', onRequest, handler });
    server.route({ method: 'OPTIONS', url: '/read', handler });
    expect(server.hasRoute({ method: 'GET', url: '/public' })).toBe(true);
  });
});
