/**
 * The differences between an input and its canonical form, for curators.
 *
 * Most texts have none and share one empty list. In every form, a text is canonical if and only if it has no repairs.
 */

/** The codes of all repairs; lists of repairs have this order. */
export const REPAIR_CODES = /* @__PURE__ */ Object.freeze([
  /** White space around the text, or after `hdl:`, was removed. Only without a kind. */
  'WHITESPACE_TRIMMED',
  /** `<` and `>` around a text that starts with a scheme were removed (RFC 3986 C). Only without a kind. */
  'BRACKETS_REMOVED',
  /** `doi:` was removed: a DOI name is a Handle. Only without a kind. */
  'DOI_PREFIX_REMOVED',
  /** A resolver URL without its scheme (`hdl.handle.net/...`) was completed. Only without a kind. */
  'SCHEME_ADDED',
  /** `hdl:`, `doi:`, `info:hdl/` or `api/handles/` before the Handle in a resolver URL was removed. Only without a kind. */
  'SCHEME_REMOVED',
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
  /** The digits of an escape such as `%3a` were converted to upper case (RFC 3986 6.2.2.1, FED-08, FED-20). */
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
] as const);

export type RepairCode = (typeof REPAIR_CODES)[number];

/** The repairs of a text, in the order of `REPAIR_CODES`; frozen. */
export type Repairs = readonly RepairCode[];

/** The empty list, which all texts without repairs share. */
export const NO_REPAIRS: Repairs = /* @__PURE__ */ Object.freeze([]);

// Equal lists are one object, which is found by a bit for each repair, because lists are joined for most texts with repairs.
const LISTS = /* @__PURE__ */ new Map<number, Repairs>();
const BITS = /* @__PURE__ */ new Map<Repairs, number>();

function listOf(bits: number): Repairs {
  const known = LISTS.get(bits);
  if (known !== undefined) return known;
  const list = Object.freeze(REPAIR_CODES.filter((_, index) => (bits & (1 << index)) !== 0));
  LISTS.set(bits, list);
  BITS.set(list, bits);
  return list;
}

export function repair(code: RepairCode): Repairs {
  return listOf(1 << REPAIR_CODES.indexOf(code));
}

export function joinRepairs(a: Repairs, b: Repairs): Repairs {
  if (b === NO_REPAIRS || a === b) return a;
  return a === NO_REPAIRS ? b : listOf((BITS.get(a) ?? 0) | (BITS.get(b) ?? 0));
}
