import { ipPrefixOf } from '../http/ip-prefix.js';
import type { Principal } from './principal.js';

/** The name under which requests are counted: the ID of the key, or the address (undefined on a closed connection). */
export function clientIdentity(principal: Principal, address: string | undefined): string {
  if (principal.keyId !== null) return principal.keyId;
  return principal.isAnonymous ? ipPrefixOf(address) : principal.client;
}
