import type { FastifyRequest } from 'fastify';
import { routeSettings } from './route-settings.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests by POST read too. */
    onlyReads?: boolean;
  }
}

/** Marks a POST route that only reads. */
export const OnlyReads = (): MethodDecorator => routeSettings({ onlyReads: true });

/** Whether a request cannot change anything. */
export function onlyReads({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || routeOptions.config.onlyReads === true;
}
