import { IsBoolean, IsIn, IsObject, IsString, MaxLength } from 'class-validator';
import { Nested } from '../http/dto-rules.js';
import { MayBeAbsent, MayBeAbsentOrNull } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MAX_TARGET_LENGTH } from '../record/identifier-record.js';
import {
  AUTHORITY_STATUSES,
  type AuthorityProfile,
  type AuthorityStatus,
  MAX_PREFIX_OCTETS,
  PROFILES,
  UUID_VERSIONS,
  type UuidVersion,
} from '../record/naming-authority.js';

const TEMPLATE = 'https://repo.example.org/objects/{guid}';

/** The HTTP resolver of a naming authority's identifiers (URI-36). */
export class AuthorityResolverDto {
  /** `http` or `https`, in any case. */
  @ApiProperty({ example: 'https' })
  @MaxLength(5)
  @IsString()
  scheme: string;

  /**
   * Host, and a port where it is not the scheme's own.
   * @example "resolve.example.org"
   */
  @MaxLength(255)
  @IsString()
  authority: string;

  /** The path segment that says that a Handle follows (URI-32); null or absent where the resolver has none. */
  @ApiProperty({ type: String, nullable: true, required: false, maxLength: 255, example: null })
  @MayBeAbsentOrNull()
  @MaxLength(255)
  @IsString()
  firstSegment?: string | null;
}

/** What can be decided anew about a naming authority. A member that is absent stays as it is. */
export class ChangeNamingAuthorityDto {
  /** Nothing is minted under one that is suspended; what was minted resolves and can be changed as before. */
  @ApiProperty({ enum: AUTHORITY_STATUSES, enumName: 'NamingAuthorityStatus', required: false, example: 'suspended' })
  @MayBeAbsent()
  @IsIn(AUTHORITY_STATUSES)
  status?: AuthorityStatus;

  /**
   * Version of the UUIDs that are minted: 4, random, or 1 or 7. Those show to everybody when an identifier was minted, and
   * those of version 7 in which order; version 1 has a random node, never the address of a machine.
   */
  @ApiProperty({ enum: UUID_VERSIONS, type: 'integer', required: false, example: 4 })
  @MayBeAbsent()
  @IsIn(UUID_VERSIONS)
  uuidVersion?: UuidVersion;

  /**
   * The target of an identifier that is minted without one: an http(s) URL in which `{guid}` or `{localName}`, behind the
   * host, stands for the local name, percent-encoded. Targets that were given before stay. Null for none.
   */
  @ApiProperty({ type: String, nullable: true, required: false, maxLength: MAX_TARGET_LENGTH, example: TEMPLATE })
  @MayBeAbsentOrNull()
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  targetTemplate?: string | null;

  /** The resolver that `uris.http` is written for, given whole; null for the configured one. */
  @ApiProperty({ type: () => AuthorityResolverDto, nullable: true, required: false })
  @MayBeAbsentOrNull()
  @IsObject()
  @Nested(() => AuthorityResolverDto)
  resolver?: AuthorityResolverDto | null;
}

/** A naming authority to create. `profile` and `caseInsensitive` are decided once: what is registered depends on them. */
export class CreateNamingAuthorityDto extends ChangeNamingAuthorityDto {
  /**
   * The Handle prefix, at most 255 octets: of digits and dots under the profile "cordra" (CID-08), of any segments under
   * "handle". One with several segments lies under its parent, which must exist (`12345.1` under `12345`, HS-07).
   * @example "12345.1"
   */
  @MaxLength(MAX_PREFIX_OCTETS)
  @IsString()
  namingAuthority: string;

  /** "cordra": local names are GUIDs (CID-10). "handle": any local name of a Handle (CID-02), minted or the client's. */
  @ApiProperty({ enum: PROFILES, enumName: 'NamingAuthorityProfile', default: 'cordra', required: false })
  @MayBeAbsent()
  @IsIn(PROFILES)
  profile?: AuthorityProfile;

  /**
   * Whether local names are compared without the case of ASCII letters (HS-05). By default true for prefixes of DOIs
   * and for `0.NA`, else false. GUIDs have no case whatever it says: under the profile "cordra" it concerns only
   * other Handles of the prefix, where they are metadata IDs or alternates.
   * @example false
   */
  @MayBeAbsent()
  @IsBoolean()
  caseInsensitive?: boolean;
}
