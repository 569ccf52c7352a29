import type { Caller } from './caller.js';

const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;

/**
 * Under which name a caller's requests are counted: the id of its key, or without one its address. The key of the
 * configuration counts as a key like any other.
 * @param address the remote address, as text.
 */
export function clientName(caller: Caller, address: string): string {
  if (caller.keyId !== null) return caller.keyId;
  return caller.isAnonymous ? networkOf(address) : caller.client;
}

/** An IPv4 address as it is, and of an IPv6 address the first 64 bits: who has one address there has all 2^64. */
export function networkOf(address: string): string {
  const [, version4] = /^(?:::ffff:)?([0-9.]+)$/i.exec(address) ?? [];
  if (version4 !== undefined) return version4;
  const [left = '', right] = address.split('::');
  const groups = left.split(':').filter((group) => group !== '');
  const behind = right?.split(':') ?? [];
  const zeros = Array.from({ length: Math.max(0, GROUPS - groups.length - behind.length) }, () => '0');
  return [...groups, ...zeros, ...behind].slice(0, GROUPS_OF_A_NETWORK).join(':');
}
