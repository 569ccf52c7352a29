/**
 * The differences between an input and its canonical form, for curators.
 *
 * Parsers collect repairs as a bit set, so that a text without repairs has no cost. In every form, a text is canonical
 * if and only if it has no repairs.
 */

/** All repairs, in the order of the lists of repairs. */
export const REPAIR_CODES = [
  /** White space around the text was removed. Only without a kind. */
  'WHITESPACE_TRIMMED',
  /** `doi:` was removed: a DOI name is a Handle. Only without a kind. */
  'DOI_PREFIX_REMOVED',
  /** A resolver URL without its scheme (`hdl.handle.net/...`) was completed. Only without a kind. */
  'SCHEME_ADDED',
  /** The URI scheme was converted to lower case (URI-06, RFC 3986 6.2.2.1). */
  'SCHEME_LOWERCASED',
  /** The info namespace was converted to lower case (RFC 4452). */
  'NAMESPACE_LOWERCASED',
  /** The host of a resolver or server was converted to lower case (RFC 3986 6.2.2.1, R-33). */
  'HOST_LOWERCASED',
  /** `:80` of http, `:443` of https, or a ":" with no port was removed (RFC 3986 6.2.3). */
  'DEFAULT_PORT_DROPPED',
  /** The 32 hexadecimal digits of a CORDRA identifier or UUID were converted to upper case (CID-14, UUID-05). */
  'GUID_UPPERCASED',
  /** `%3a` became `%3A` (RFC 3986 6.2.2.1, FED-08, FED-20). */
  'ESCAPE_UPPERCASED',
  /** An escape that the form does not require was decoded (RFC 3986 6.2.2.2, FED-19). */
  'ESCAPE_DECODED',
  /** A raw character was escaped (R-09; other raw characters only without a kind). */
  'ESCAPE_ADDED',
  /** A raw "/" in the suffix of a resolver URL became `%2F`. Only without a kind. */
  'SLASH_ESCAPED',
  /** The `%3A` between the namespace and the object of a Fedora PID became ":" (FED-09). */
  'SEPARATOR_DECODED',
  /** The parameters of a method call were sorted (FED-21). */
  'PARAMS_SORTED',
  /** `urn:uuid:` was removed from a UUID (UUID-05). */
  'URN_PREFIX_REMOVED',
  /** The braces around a UUID were removed (UUID-05, R-05). */
  'BRACES_REMOVED',
  /** The hyphens of a UUID were removed (UUID-05), or of a GUID of a known naming authority. */
  'HYPHENS_REMOVED',
] as const;

/** One of `REPAIR_CODES`. */
export type RepairCode = (typeof REPAIR_CODES)[number];

/** A set of repairs; combine with `|`, read with `listRepairs`. */
export type RepairSet = number;

export const NO_REPAIRS: RepairSet = 0;

/** The set of one repair. */
export function repair(code: RepairCode): RepairSet {
  return 1 << REPAIR_CODES.indexOf(code);
}

const NONE: readonly RepairCode[] = Object.freeze([]);

/** The repairs of a set, in the order of `REPAIR_CODES`. */
export function listRepairs(repairs: RepairSet): readonly RepairCode[] {
  return repairs === NO_REPAIRS ? NONE : REPAIR_CODES.filter((_, bit) => (repairs & (1 << bit)) !== 0);
}
