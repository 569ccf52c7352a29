import type { FastifyRequest } from 'fastify';

/** Host and port that can be repeated in a response. The client sends `Host`, so any other text is not repeated. */
const PLAIN_HOST = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/** The scheme and the authority by which the client reaches the service, without a final "/"; null for an odd `Host`. */
export function ownOrigin({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string | null {
  return PLAIN_HOST.test(host) ? `${protocol}://${host}` : null;
}
