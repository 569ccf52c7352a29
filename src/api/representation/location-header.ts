/** Clients and proxies accept 8 or 16 KiB of headers; the body has the identifier in any case. */
const MAX_PATH_LENGTH = 7168;

/** `Location`; nothing where the path is too long. */
export function locationHeader(path: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { location: path };
}

/** `Link` with one relation (RFC 8288); nothing where the path is too long. */
export function linkHeader(path: string, rel: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { link: `<${path}>; rel="${rel}"` };
}
