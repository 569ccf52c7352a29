import { IsBoolean, IsIn, IsObject, IsString, MaxLength } from 'class-validator';
import { Nested } from '../../http/validation/fast-rules.js';
import { Optional, OptionalOrNull } from '../../http/validation/optional.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import {
  NAMING_AUTHORITY_STATES,
  type NamingAuthorityProfile,
  type NamingAuthorityState,
  MAX_PREFIX_OCTETS,
  PROFILES,
  UUID_VERSIONS,
  type UuidVersion,
} from '../../registry/naming-authority.js';

const TEMPLATE = 'https://repo.example.org/objects/{guid}';

/** The HTTP resolver of a naming authority's identifiers (URI-36). */
export class AuthorityResolverDto {
  /** `http` or `https`, in any case. */
  @ApiProperty({ example: 'https' })
  @MaxLength(5)
  @IsString()
  scheme: string;

  /**
   * The host, and the port where it is not the default port of the scheme.
   * @example "resolve.example.org"
   */
  @MaxLength(255)
  @IsString()
  authority: string;

  /** The path segment before the Handle (URI-32); null or absent where the resolver has none. */
  @ApiProperty({ type: String, nullable: true, required: false, maxLength: 255, example: null })
  @OptionalOrNull()
  @MaxLength(255)
  @IsString()
  firstSegment?: string | null;
}

/** Changes to a naming authority. A member that is absent is not changed. */
export class UpdateNamingAuthorityDto {
  /** A suspended naming authority cannot mint; its identifiers resolve and can be changed as before. */
  @ApiProperty({
    enum: NAMING_AUTHORITY_STATES,
    enumName: 'NamingAuthorityState',
    required: false,
    example: 'active',
  })
  @Optional()
  @IsIn(NAMING_AUTHORITY_STATES)
  state?: NamingAuthorityState;

  /**
   * The version of minted UUIDs: 4 (random), 1 or 7. Versions 1 and 7 reveal the time of minting, and version 7 the
   * order; version 1 has a random node, never the address of a machine.
   */
  @ApiProperty({ enum: UUID_VERSIONS, type: 'integer', required: false, example: 4 })
  @Optional()
  @IsIn(UUID_VERSIONS)
  uuidVersion?: UuidVersion;

  /**
   * The target of identifiers that are minted without one: an http or https URL that contains `{guid}` or `{localName}`
   * after the host, which is replaced by the percent-encoded local name. Existing targets do not change. Null for none.
   */
  @ApiProperty({ type: String, nullable: true, required: false, maxLength: MAX_TARGET_LENGTH, example: TEMPLATE })
  @OptionalOrNull()
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  targetTemplate?: string | null;

  /** The resolver of `uris.http`, as a whole; null for the configured one. */
  @ApiProperty({ type: () => AuthorityResolverDto, nullable: true, required: false })
  @OptionalOrNull()
  @IsObject()
  @Nested(() => AuthorityResolverDto)
  resolver?: AuthorityResolverDto | null;
}

/**
 * A naming authority to create. `profile`, `caseInsensitive`, `handleValues` and `sandbox` cannot be changed later, because
 * registered identifiers depend on them.
 */
export class CreateNamingAuthorityDto extends UpdateNamingAuthorityDto {
  /**
   * The Handle prefix, at most 255 octets: digits and dots under the profile "cordra" (CID-08), any segments under
   * "handle". The parent of a prefix with several segments must exist (`12345` for `12345.1`, HS-07).
   * @example "12345.1"
   */
  @MaxLength(MAX_PREFIX_OCTETS)
  @IsString()
  namingAuthority: string;

  /** "cordra": local names are GUIDs (CID-10). "handle": local names are any local names of Handles (CID-02). */
  @ApiProperty({ enum: PROFILES, enumName: 'NamingAuthorityProfile', default: 'cordra', required: false })
  @Optional()
  @IsIn(PROFILES)
  profile?: NamingAuthorityProfile;

  /**
   * Whether local names are compared without the case of ASCII letters (HS-05). By default true for prefixes of DOIs
   * and for `0.NA`, otherwise false. GUIDs are always case-insensitive: under the profile "cordra" the
   * setting applies only to other Handles of the prefix that are metadata IDs or alternate identifiers.
   * @example false
   */
  @Optional()
  @IsBoolean()
  caseInsensitive?: boolean;

  /**
   * Whether identifiers have stored Handle values of any type, which Handle clients write, beside the computed ones.
   * Only for the profile "handle".
   * @example false
   */
  @Optional()
  @IsBoolean()
  handleValues?: boolean;

  /**
   * Whether Handle clients may delete identifiers, for tests. A deleted identifier is withdrawn: it loses its values and
   * its metadata ID, and is registered again when a client writes it.
   * @example false
   */
  @Optional()
  @IsBoolean()
  sandbox?: boolean;
}
