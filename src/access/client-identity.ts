import type { Principal } from './principal.js';

const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;

/** The name under which requests are counted: the ID of the key, or the address (undefined on a closed connection). */
export function clientIdentity(principal: Principal, address: string | undefined): string {
  if (principal.keyId !== null) return principal.keyId;
  return principal.isAnonymous ? ipPrefixOf(address) : principal.client;
}

/** An IPv4 address, or the first 64 bits of an IPv6 address in any spelling, because one client usually has all 2^64. */
export function ipPrefixOf(address: string | undefined): string {
  if (address === undefined) return 'disconnected';
  const [, version4] = /^(?:::ffff:)?([0-9.]+)$/i.exec(address) ?? [];
  if (version4 !== undefined) return version4;
  const [left = '', right] = address.split('::');
  const groups = left.split(':').filter((group) => group !== '');
  const behind = right?.split(':') ?? [];
  const zeros = Array.from({ length: Math.max(0, GROUPS - groups.length - behind.length) }, () => '0');
  const network = [...groups, ...zeros, ...behind].slice(0, GROUPS_OF_A_NETWORK);
  return network.map((group) => group.toLowerCase().replace(/^0+(?=.)/, '')).join(':');
}
