import { type Resolver, namingAuthorityKey } from '../identifier/index.js';

/** Whether identifiers are minted under a naming authority. */
export const AUTHORITY_STATUSES = ['active', 'suspended'] as const;
export type AuthorityStatus = (typeof AUTHORITY_STATUSES)[number];

/** What the local names of a naming authority are: GUIDs (CID-10), or any local name of a Handle (CID-02). */
export const PROFILES = ['cordra', 'handle'] as const;
export type AuthorityProfile = (typeof PROFILES)[number];

/** Versions of UUID that can be minted: random ones, or those that show the time of the mint. */
export const UUID_VERSIONS = [4, 1, 7] as const;
export type UuidVersion = (typeof UUID_VERSIONS)[number];

/** Longest prefix, in octets; the database has the same limit. The syntax itself has none. */
export const MAX_PREFIX_OCTETS = 255;

/** What can be decided anew about a naming authority. */
export interface AuthoritySettings {
  readonly status: AuthorityStatus;
  readonly uuidVersion: UuidVersion;
  /** URL with `{guid}` or `{localName}`: the target of an identifier that is minted without one. */
  readonly targetTemplate: string | null;
  /** Its own HTTP resolver (URI-36); null for the configured one. */
  readonly resolver: Resolver | null;
}

/** A naming authority: a Handle prefix under which identifiers are minted (CID-09). */
export interface NamingAuthority extends AuthoritySettings {
  /** As it was created; ASCII letters in it have no case. */
  readonly prefix: string;
  /** Decided once: what is registered depends on it. */
  readonly profile: AuthorityProfile;
  /** Whether local names are compared without the case of ASCII letters (HS-05); decided once. */
  readonly caseInsensitive: boolean;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * Whether local names have no case unless it is decided otherwise: DOIs by their own rules, and Handles of prefixes
 * by those of the Handle System.
 */
export function isCaseInsensitiveByRule(prefix: string): boolean {
  return /^10(\.[0-9]+)+$/.test(prefix) || isPrefixOfPrefixes(prefix);
}

/** `0.NA`: its Handles are prefixes, so no part of them has a case, and nobody can decide otherwise. */
export function isPrefixOfPrefixes(prefix: string): boolean {
  return namingAuthorityKey(prefix) === '0.NA';
}
