import { type Resolver, namingAuthorityKey, parseNamingAuthority } from '@mintmark/identifier';
import { malformed } from '../problem/problem.js';
import { upperAscii } from './upper-ascii.js';
import { guidIn } from './uuid.js';

export const NAMING_AUTHORITY_STATES = ['active', 'suspended'] as const;
export type NamingAuthorityState = (typeof NAMING_AUTHORITY_STATES)[number];

export const PROFILES = ['cordra', 'handle'] as const;
export type NamingAuthorityProfile = (typeof PROFILES)[number];

/** Which texts are metadata IDs: names in a known form, or any text, which is not interpreted. */
export const METADATA_ID_SCHEMES = ['recognized', 'any'] as const;
export type MetadataIdScheme = (typeof METADATA_ID_SCHEMES)[number];

/** 4 is random; 1 and 7 contain the time of minting. */
export const UUID_VERSIONS = [4, 1, 7] as const;
export type UuidVersion = (typeof UUID_VERSIONS)[number];

export const MAX_PREFIX_BYTES = 255;

/** The rules of names, such as how they are compared. They can change only while no name depends on them (decision 35). */
export interface NamingAuthorityRules {
  readonly profile: NamingAuthorityProfile;
  /** Whether local names are compared without regard to the case of ASCII letters (HS-05). */
  readonly caseInsensitive: boolean;
  /** Whether identifiers have stored Handle values beside the computed ones; only for "handle". */
  readonly storesHandleValues: boolean;
  /** Whether identifiers are for tests, so that Handle clients may delete them. */
  readonly sandbox: boolean;
  readonly metadataIdScheme: MetadataIdScheme;
}

export interface NamingAuthoritySettings extends NamingAuthorityRules {
  readonly state: NamingAuthorityState;
  readonly uuidVersion: UuidVersion;
  readonly targetTemplate: string | null;
  readonly resolver: Resolver | null;
}

/** A naming authority: a Handle prefix under which identifiers are minted (CID-09). */
export interface NamingAuthority extends NamingAuthoritySettings {
  readonly prefix: string;
  /** Comparable local names of users, which cannot be identifiers; absent if they were not read. */
  readonly handleUsers?: ReadonlySet<string>;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** @throws Problem with a syntax code for a text that is not a prefix, or is not permitted by the profile. */
export function requirePrefix(
  text: string,
  pointer: string,
  rules: Partial<Pick<NamingAuthorityRules, 'profile'>> = {},
): void {
  const read = parseNamingAuthority(text, rules);
  if (!read.ok) throw malformed(read.fault, pointer);
}

/**
 * Whether two Handles under a naming authority are equal: prefixes without regard to case, GUIDs in any notation, other local
 * names by its rule (HS-05).
 */
export function areSameHandle(
  { prefix, profile, caseInsensitive }: Pick<NamingAuthority, 'prefix' | 'profile' | 'caseInsensitive'>,
  one: string,
  other: string,
): boolean {
  const start = prefix.length + 1;
  const comparable = (handle: string): string => {
    const localName = handle.slice(start);
    if (profile === 'cordra') return guidIn(localName) ?? upperAscii(localName);
    return caseInsensitive ? upperAscii(localName) : localName;
  };
  return upperAscii(one.slice(0, start)) === upperAscii(other.slice(0, start)) && comparable(one) === comparable(other);
}

/** The default of `caseInsensitive`: true for DOIs and for Handles of prefixes. */
export function isCaseInsensitiveByRule(prefix: string): boolean {
  return /^10(\.[0-9]+)+$/.test(prefix) || isPrefixOfPrefixes(prefix);
}

/**
 * First segments of paths of this service and its interfaces, present or future. No naming authority may have such a name, because the
 * resolver serves `/{naming authority}/{local name}`.
 */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set([
  ...['identifiers', 'naming-authorities', 'reservations', 'api-keys', 'events', 'normalize', 'health', 'metrics'],
  ...['openapi.json', 'openapi.yaml', 'docs', 'problems', 'api', 'hrls', 'hdlresolver', 'objects', 'shoulder', 'id'],
  ...['ui', 'static', '.well-known', 'login', 'logout', 'status', 'robots.txt', 'favicon.ico', 'help.html'],
  // Further resources will be added under `-`.
  ...['-', 'runs', 'exports'],
]);

/** A version of the API with breaking changes, such as `v2`. */
const API_VERSION = /^v[0-9]+$/i;

/** Whether a text is a reserved first segment, in any case of its ASCII letters. */
export function isReservedSegment(text: string): boolean {
  return RESERVED_SEGMENTS.has(text.toLowerCase()) || API_VERSION.test(text);
}

/** The first segment of the URLs of a resolver as in a decoded path; null for none. */
export function pathSegmentOf({ firstSegment }: Pick<Resolver, 'firstSegment'>): string | null {
  try {
    return firstSegment && decodeURIComponent(firstSegment);
  } catch {
    // No path with this segment is UTF-8, so the resolver reads no such path.
    return firstSegment;
  }
}

/** Whether `readPath` would read URLs of a resolver as Handles of the prefix. A first segment can contain an escaped "/". */
export function hidesUrlsOf(resolver: Pick<Resolver, 'firstSegment'>, prefix: string): boolean {
  const [start = ''] = pathSegmentOf(resolver)?.split('/', 1) ?? [];
  return start !== '' && namingAuthorityKey(start) === namingAuthorityKey(prefix);
}

/** Whether URLs of a resolver, if it is this service, are paths of other interfaces. */
export function hasReservedSegment(resolver: Pick<Resolver, 'firstSegment'>): boolean {
  return isReservedSegment(pathSegmentOf(resolver)?.split('/', 1)[0] ?? '');
}

/** Whether the prefix is `0.NA`, whose Handles denote prefixes and are always case-insensitive. */
export function isPrefixOfPrefixes(prefix: string): boolean {
  return namingAuthorityKey(prefix) === '0.NA';
}
