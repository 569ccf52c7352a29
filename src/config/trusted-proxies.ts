import { isIP } from 'node:net';

/** Parses `TRUSTED_PROXIES`: addresses and networks such as `10.0.0.0/8`, separated by commas. */
export function proxiesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function proxyProblem(entry: string): string[] {
  const [address = '', bits] = entry.split('/', 2);
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const isPrefix = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  if (version !== 0 && isPrefix && entry.split('/').length <= 2) return [];
  return [`TRUSTED_PROXIES contains "${entry}", which is neither an IP address nor a network such as 10.0.0.0/8`];
}
