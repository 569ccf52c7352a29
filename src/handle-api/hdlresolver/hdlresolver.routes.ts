import type { FastifyInstance } from 'fastify';
import { HANDLE_ROUTES } from '../entrance.js';
import type { HdlresolverHandler } from './hdlresolver.handler.js';

/** The routes that the remote handle resolver of DSpace calls. It sends no credentials. */
export function addHdlresolverRoutes(server: FastifyInstance, handler: HdlresolverHandler): void {
  const read = { method: ['GET', 'HEAD'], config: { scopes: ['read'] as const } };
  const list = { ...read, config: { ...read.config, lists: true } };
  server.route({ ...list, url: '/hdlresolver/listprefixes', handler: handler.listPrefixes });
  server.route({ ...read, url: HANDLE_ROUTES.resolve, handler: handler.resolve });
  server.route({ ...list, url: '/hdlresolver/listhandles/:prefix', handler: handler.listHandles });
}
