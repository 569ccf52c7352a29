import { isIP } from 'node:net';

/** A host name (RFC 1123 2.1), which includes IPv4 addresses. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

export function hostsOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A text that can only be meant as an address: digits and dots, or with a colon. */
const LIKE_ADDRESS = /^[0-9.]+$|:/;

/** The problem of an address to listen on. */
export function listenProblem(host: string): string[] {
  if (isIP(host) !== 0 || (!LIKE_ADDRESS.test(host) && HOST_NAME.test(host))) return [];
  return [
    `HOST "${host}" is neither an IP address nor a host name; set it to an address of this machine, such as 127.0.0.1, without scheme and port`,
  ];
}

export function hostProblem(entry: string): string[] {
  const address = /^\[(.*)\]$/.exec(entry)?.[1] ?? entry;
  if (isIP(address) === 6 || (address === entry && HOST_NAME.test(entry))) return [];
  return [`ALLOWED_HOSTS contains "${entry}", which is not a host name or an IP address; omit scheme, port and path`];
}
