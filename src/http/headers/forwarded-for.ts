import type { IncomingHttpHeaders } from 'node:http';

/** An IPv4 address with a port, or an address in brackets with or without one. */
const WITH_PORT = /^([0-9.]+):[0-9]+$|^\[([^\]]*)\](?::[0-9]+)?$/;

/**
 * Cuts the ports and brackets of the addresses in X-Forwarded-For, which some proxies write. Otherwise a client would be another
 * one for each connection, and a proxy with a port would not be trusted.
 */
export function cutForwardedPorts(headers: IncomingHttpHeaders): void {
  const { 'x-forwarded-for': forwarded } = headers;
  if (typeof forwarded !== 'string' || !forwarded.includes(':')) return;
  headers['x-forwarded-for'] = forwarded
    .split(',')
    .map((each) => each.trim().replace(WITH_PORT, '$1$2'))
    .join(', ');
}
