const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;

/** An IPv4 address, or the first 64 bits of an IPv6 address in any spelling, because one client usually has the whole /64. */
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

/** The network of an address, which identifies no person: 24 bits of IPv4 or 48 bits of IPv6; null on a closed connection. */
export function truncatedAddress(address: string | undefined): string | null {
  if (address === undefined) return null;
  const prefix = ipPrefixOf(address);
  const separator = prefix.includes('.') ? '.' : ':';
  const network = prefix.split(separator).slice(0, 3).join(separator);
  return separator === '.' ? `${network}.0` : `${network}::`;
}
