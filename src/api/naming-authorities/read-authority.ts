import { type Resolver, parseNamingAuthority, parseResolver } from '../../identifier/index.js';
import { type Problem, invalidRequest, malformed } from '../../problem/problem.js';
import type { NewAuthority } from '../../storage/naming-authorities/naming-authority-writer.js';
import {
  type AuthoritySettings,
  MAX_PREFIX_OCTETS,
  isCaseInsensitiveByRule,
  isPrefixOfPrefixes,
} from '../../registry/naming-authority.js';
import { requireTemplate } from '../../registry/target-template.js';
import type {
  AuthorityResolverDto,
  UpdateNamingAuthorityDto,
  CreateNamingAuthorityDto,
} from './authority-settings.dto.js';

/**
 * Reads a naming authority to create.
 * @throws Problem with a syntax code for a malformed prefix, INVALID_REQUEST for settings that cannot be.
 */
export function readNewAuthority(request: CreateNamingAuthorityDto): NewAuthority {
  const { namingAuthority: prefix, profile = 'cordra', caseInsensitive = isCaseInsensitiveByRule(prefix) } = request;
  const read = parseNamingAuthority(prefix, profile);
  if (!read.ok) throw malformed(read.fault, '/namingAuthority');
  const octets = Buffer.byteLength(prefix);
  if (octets > MAX_PREFIX_OCTETS) {
    throw invalid('/namingAuthority', `has ${octets} octets in UTF-8; at most ${MAX_PREFIX_OCTETS} are allowed`);
  }
  if (!caseInsensitive && isPrefixOfPrefixes(prefix)) {
    throw invalid('/caseInsensitive', 'must be true or omitted: Handles under 0.NA are case-insensitive (R-35)');
  }
  const { status = 'active', uuidVersion = 4, targetTemplate = null, resolver = null } = readChanges(request);
  return { prefix, status, profile, caseInsensitive, uuidVersion, targetTemplate, resolver };
}

/**
 * Reads the settings that a request names.
 * @throws Problem INVALID_REQUEST for settings that cannot be.
 */
export function readChanges(request: UpdateNamingAuthorityDto): Partial<AuthoritySettings> {
  const { status, uuidVersion, targetTemplate, resolver } = request;
  if (typeof targetTemplate === 'string') requireTemplate(targetTemplate, '/targetTemplate');
  return {
    ...(status !== undefined && { status }),
    ...(uuidVersion !== undefined && { uuidVersion }),
    ...(targetTemplate !== undefined && { targetTemplate }),
    ...(resolver !== undefined && { resolver: resolver === null ? null : readResolver(resolver) }),
  };
}

function readResolver({ scheme, authority, firstSegment = null }: AuthorityResolverDto): Resolver {
  const read = parseResolver({ scheme, authority, firstSegment });
  if (read.ok) return read.value;
  throw invalid('/resolver', read.fault.detail);
}

function invalid(pointer: string, detail: string): Problem {
  return invalidRequest(pointer, detail, `${pointer}: ${detail}`);
}
