import { isIP } from 'node:net';
import { type Resolver, parseResolver } from '@mintmark/identifier';

/** A host name (RFC 1123 2.1), in which underscores are also permitted, or an IPv4 address. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

export function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A text that can only be an address: digits and dots, or with a colon. */
const LIKE_ADDRESS = /^[0-9.]+$|:/;

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

/** The problem of an entry of `TRUSTED_PROXIES`, which must be an address, or a network such as `10.0.0.0/8`. */
export function proxyProblem(entry: string): string[] {
  const [address = '', bits] = entry.split('/', 2);
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const isPrefix = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  if (version !== 0 && isPrefix && entry.split('/').length <= 2) return [];
  return [`TRUSTED_PROXIES contains "${entry}", which is neither an IP address nor a network such as 10.0.0.0/8`];
}

/** An http or https URL of a host and at most one path segment, without user, query and fragment. */
const UPSTREAM = /^(https?):\/\/([^/?#@]+)(?:\/([^/?#]+))?\/?$/i;

/** The resolver to which requests for unknown prefixes are redirected; undefined for an invalid URL. */
export function upstreamOf(url: string): Resolver | undefined {
  const [, scheme, authority, firstSegment = null] = UPSTREAM.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) return undefined;
  const read = parseResolver({ scheme, authority, firstSegment });
  return read.ok ? read.value : undefined;
}

export function upstreamProblem(url: string | undefined): string[] {
  if (url === undefined || upstreamOf(url) !== undefined) return [];
  return [
    `RESOLVER_UPSTREAM "${url}" is not the URL of a resolver; set it to a URL such as https://hdl.handle.net/, with at most one path segment`,
  ];
}

/** The problem of a database URL, described without its password. */
export function databaseUrlProblem(variable: string, url: string | undefined): string[] {
  if (url === undefined) return [];
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    const found = scheme === undefined ? '' : `; it starts with ${scheme}:, and only PostgreSQL is supported`;
    return [
      `${variable} must be a URL such as postgresql://user:password@host:5432/database${scheme?.startsWith('postgres') ? '' : found}`,
    ];
  }
  if (!URL.canParse(url)) {
    return [
      `${variable} is not a valid URL; percent-encode the characters of user and password that are special in a URL, such as %40 for "@" and %2F for "/"`,
    ];
  }
  const schema = new URL(url).searchParams.get('schema');
  if (schema === null) return [];
  return [
    `${variable} has the parameter schema, which is not one of PostgreSQL; remove it, and set the schema of the role: ALTER ROLE … SET search_path = "${schema}"`,
  ];
}

export function readDatabaseUrlProblem(url: string | undefined, primary: string | undefined): string[] {
  if (url === undefined) return [];
  if (primary === undefined)
    return ['READ_DATABASE_URL is set without DATABASE_URL; the embedded PostgreSQL has no standby'];
  // `pg` connects to one host.
  if (/^postgres(?:ql)?:\/\/[^/?]*,/.test(url)) {
    return ['READ_DATABASE_URL names several hosts; name one, such as a balancer before them'];
  }
  return databaseUrlProblem('READ_DATABASE_URL', url);
}
