/** Seconds for which a redirect may be stored. Its target can change at any time, and no cache learns of the change. */
export interface RedirectAges {
  /** In a browser, and in every cache of one client. */
  readonly browserSeconds: number;
  /** In a cache that several clients share, such as that of a proxy; null where reading requires a key: none may store it. */
  readonly sharedSeconds: number | null;
}

/**
 * `Cache-Control` of a redirect (RFC 9111 5.2.2).
 * @param mostSeconds the time to live of the value that the redirect comes from, where a client has set it.
 */
export function cacheControlOf({ browserSeconds, sharedSeconds }: RedirectAges, mostSeconds = Infinity): string {
  const own = `max-age=${Math.min(browserSeconds, mostSeconds)}`;
  return sharedSeconds === null
    ? `private, ${own}`
    : `public, ${own}, s-maxage=${Math.min(sharedSeconds, mostSeconds)}`;
}
