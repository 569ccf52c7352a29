import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests by POST read too. */
    onlyReads?: boolean;
  }
}

/** Whether a request cannot change anything. */
export function onlyReads({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || routeOptions.config.onlyReads === true;
}
