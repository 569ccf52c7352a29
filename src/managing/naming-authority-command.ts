import { type Resolver, WELL_KNOWN_RESOLVERS, parseResolver, recognize } from '@mintmark/identifier';
import { Problem, invalidValue } from '../problem/problem.js';
import {
  MAX_PREFIX_BYTES,
  type NamingAuthorityRules,
  type NamingAuthoritySettings,
  hasReservedSegment,
  hidesUrlsOf,
  isCaseInsensitiveByRule,
  isPrefixOfPrefixes,
  isReservedSegment,
  requirePrefix,
} from '../registry/naming-authority.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { requireTemplate } from '../registry/target-template.js';
import type { NewNamingAuthority } from '../storage/naming-authorities/naming-authority-writer.js';

export const RULES = ['profile', 'caseInsensitive', 'storesHandleValues', 'sandbox', 'metadataIdScheme'] as const;

/** The settings that are stored as they are sent. Fingerprints of requests depend on the order of this list. */
const PLAIN_SETTINGS = [...RULES, 'state', 'uuidVersion', 'targetTemplate'] as const;

/** Settings of a naming authority; absent members are not changed. */
export interface NewSettings extends Partial<Omit<NamingAuthoritySettings, 'resolver'>> {
  readonly resolver?: ResolverCommand | null;
}

interface ResolverCommand {
  readonly scheme: string;
  /** Host and optional port (RFC 3986 3.2). */
  readonly authority: string;
  readonly firstSegment?: string | null;
}

export interface CreateNamingAuthorityCommand extends NewSettings {
  readonly namingAuthority: string;
}

/** @throws Problem with a syntax code for a malformed prefix, RESERVED_NAMING_AUTHORITY, or INVALID_REQUEST for invalid settings. */
export function parseNewNamingAuthority(command: CreateNamingAuthorityCommand): NewNamingAuthority {
  const { namingAuthority: prefix, profile = 'cordra', caseInsensitive = isCaseInsensitiveByRule(prefix) } = command;
  const { storesHandleValues = false, sandbox = false, metadataIdScheme = 'recognized' } = command;
  requireRules(prefix, { profile, caseInsensitive, storesHandleValues });
  const bytes = Buffer.byteLength(prefix);
  if (bytes > MAX_PREFIX_BYTES) {
    throw invalidValue('/namingAuthority', `has ${bytes} bytes in UTF-8; at most ${MAX_PREFIX_BYTES} are allowed`);
  }
  if (isReservedSegment(prefix)) throw reserved(prefix);
  requireReadable(prefix, profile);
  const { state = 'active', uuidVersion = 4, targetTemplate = null, resolver = null } = parseSettings(command);
  return {
    ...{ prefix, state, profile, caseInsensitive, storesHandleValues, sandbox, metadataIdScheme },
    ...{ uuidVersion, targetTemplate, resolver },
  };
}

function reserved(prefix: string): Problem {
  const detail = `"${prefix}" is reserved: it is or can become the first segment of a path of this service, so that its Handles could not be resolved at /${prefix}/…`;
  return new Problem('RESERVED_NAMING_AUTHORITY', detail, { errors: [{ pointer: '/namingAuthority', detail }] });
}

/** @throws Problem RESERVED_NAMING_AUTHORITY for a prefix that is the first segment of a resolver at the host of this service. */
export function requireNoSegment(prefix: string, known: NamingAuthoritySnapshot): void {
  const own = known.ownResolvers().filter((resolver) => isHere(resolver, known));
  if ([known.resolver, ...own].some((resolver) => hidesUrlsOf(resolver, prefix))) throw reserved(prefix);
}

/** Whether a resolver is at the configured host, unless this is a public proxy. */
function isHere({ authority }: Resolver, known: NamingAuthoritySnapshot): boolean {
  return authority === known.resolver.authority && !WELL_KNOWN_RESOLVERS.includes(authority);
}

/** @throws Problem INVALID_REQUEST for a resolver at the host of this service in whose URLs it would not find the Handles. */
export function requireReadableUrls(resolver: Resolver | null, prefix: string, known: NamingAuthoritySnapshot): void {
  if (resolver === null || !isHere(resolver, known)) return;
  const pointer = '/resolver/firstSegment';
  const hiding = [prefix, ...known.prefixes].find((each) => hidesUrlsOf(resolver, each));
  if (hiding !== undefined) throw invalidValue(pointer, `is the prefix of the naming authority "${hiding}"`);
  if (hasReservedSegment(resolver)) throw invalidValue(pointer, 'is the first segment of paths of this service');
}

/** @throws Problem INVALID_REQUEST for a prefix whose identifiers would be read as other names, or not at all. */
function requireReadable(prefix: string, profile: NamingAuthorityRules['profile']): void {
  const read = recognize(`${prefix}/0`, { namingAuthorityOf: () => ({ profile: 'handle' }) });
  const name = read.ok && read.repairs.length === 0 ? read.value.name : null;
  if (profile === 'cordra' || (name?.type === 'handle' && name.namingAuthority === prefix)) return;
  throw invalidValue(
    '/namingAuthority',
    'cannot be the start of an identifier: it has white space, or is read as a scheme or a host, so that its identifiers could not be found by their texts',
  );
}

/** @throws Problem with a syntax code for a prefix that the profile does not permit, INVALID_REQUEST for other rules. */
export function requireRules(
  prefix: string,
  {
    profile,
    caseInsensitive,
    storesHandleValues,
  }: Pick<NamingAuthorityRules, 'profile' | 'caseInsensitive' | 'storesHandleValues'>,
): void {
  requirePrefix(prefix, '/namingAuthority', { profile });
  if (!caseInsensitive && isPrefixOfPrefixes(prefix)) {
    throw invalidValue('/caseInsensitive', 'must be true or omitted: Handles under 0.NA are case-insensitive (R-35)');
  }
  if (storesHandleValues && profile !== 'handle') {
    throw invalidValue('/storesHandleValues', 'is permitted only under the profile "handle"');
  }
}

/** @throws Problem INVALID_REQUEST for invalid settings. */
export function parseSettings(command: NewSettings): Partial<NamingAuthoritySettings> {
  const { targetTemplate, resolver } = command;
  if (typeof targetTemplate === 'string') requireTemplate(targetTemplate, '/targetTemplate');
  const given = PLAIN_SETTINGS.filter((name) => command[name] !== undefined).map((name) => [name, command[name]]);
  return {
    ...(Object.fromEntries(given) as Partial<NamingAuthoritySettings>),
    ...(resolver !== undefined && { resolver: resolver && resolverOf(resolver) }),
  };
}

function resolverOf({ scheme, authority, firstSegment = null }: ResolverCommand): Resolver {
  const read = parseResolver({ scheme, authority, firstSegment });
  if (read.ok) return read.value;
  throw invalidValue('/resolver', read.fault.detail);
}
