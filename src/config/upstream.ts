import { type Resolver, parseResolver } from '../identifier/index.js';

/** An http or https URL of a host and at most one path segment, without user, query and fragment. */
const UPSTREAM = /^(https?):\/\/([^/?#@]+)(?:\/([^/?#]+))?\/?$/i;

/** The resolver to which requests for unknown prefixes are redirected; undefined where `url` is none. */
export function upstreamOf(url: string): Resolver | undefined {
  const [, scheme, authority, firstSegment = null] = UPSTREAM.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) return undefined;
  const read = parseResolver({ scheme, authority, firstSegment });
  return read.ok ? read.value : undefined;
}

/** The problem of the variable `RESOLVER_UPSTREAM`. */
export function upstreamProblem(url: string | undefined): string[] {
  if (url === undefined || upstreamOf(url) !== undefined) return [];
  return [
    `RESOLVER_UPSTREAM "${url}" is not the URL of a resolver; set it to a URL such as https://hdl.handle.net/, with at most one path segment`,
  ];
}
