import { IsObject, IsString, MaxLength } from 'class-validator';
import { NullIsAbsent, OptionalOrNull } from '../../http/validation/member-decorators.js';
import { Nested } from '../../http/validation/fast-rules.js';
import { Computed, Members, READ_ONLY_TIME as TIME, ReadOnly } from '../../http/validation/read-only.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import {
  METADATA_ID_SCHEMES,
  type MetadataIdScheme,
  NAMING_AUTHORITY_STATES,
  type NamingAuthorityProfile,
  type NamingAuthorityState,
  MAX_PREFIX_BYTES,
  PROFILES,
  UUID_VERSIONS,
  type UuidVersion,
} from '../../registry/naming-authority.js';
import { ResolverDto } from '../representation/resolver.dto.js';
import { CountsDto } from './naming-authority.dto.js';
import { NullableText, OptionalBoolean, OptionalChoice } from '../../http/validation/described-members.js';

const TEMPLATE = 'https://repo.example.org/objects/{guid}';

/**
 * The settings of a naming authority. `profile`, `caseInsensitive`, `storesHandleValues`, `sandbox` and `metadataIdScheme` can be changed
 * only while no identifier (not even a withdrawn one), no Handle user and no alternate identifier of another object has a name under the
 * prefix, because names depend on these settings.
 */
export class NamingAuthoritySettingsDto {
  /** A suspended naming authority cannot mint. Its identifiers resolve and can be changed as before. */
  @OptionalChoice(NAMING_AUTHORITY_STATES, { enumName: 'NamingAuthorityState', example: 'active' })
  state?: NamingAuthorityState;

  /**
   * "cordra", the default: local names are GUIDs (CID-10). "handle": any local name that a Handle can have is permitted (CID-02), such as
   * those of DSpace.
   */
  @OptionalChoice(PROFILES, { enumName: 'NamingAuthorityProfile', example: 'cordra' })
  profile?: NamingAuthorityProfile;

  /**
   * Whether local names are compared without regard to the case of ASCII letters (HS-05). The default is true for prefixes of DOIs
   * and for `0.NA`, otherwise false. GUIDs are always case-insensitive, so under the profile "cordra" the setting applies only to
   * other Handles of the prefix that are metadata IDs or alternate identifiers.
   */
  @OptionalBoolean()
  caseInsensitive?: boolean;

  /**
   * Whether identifiers have stored Handle values of any type, which Handle clients write, in addition to the computed ones.
   * Only for the profile "handle".
   */
  @OptionalBoolean()
  storesHandleValues?: boolean;

  /**
   * Whether identifiers are for tests, so that Handle clients may delete them. A deleted identifier is withdrawn. It loses its values and
   * its metadata ID, and is registered again when a client writes it.
   */
  @OptionalBoolean()
  sandbox?: boolean;

  /**
   * "recognized", the default: a metadata ID is a CORDRA identifier, another Handle, a Fedora PID or a Fedora dissemination URI, in any
   * form. "any": a metadata ID is a text of 1 to 2,048 bytes in UTF-8 without control characters, such as an OAI identifier, a URL or a
   * local number. The text is stored as it is sent, compared byte by byte and never interpreted; `mintMetadataId` is rejected.
   */
  @OptionalChoice(METADATA_ID_SCHEMES, { enumName: 'MetadataIdScheme', example: 'recognized' })
  metadataIdScheme?: MetadataIdScheme;

  /**
   * The version of minted UUIDs: 4 (random, the default), 1 or 7. Versions 1 and 7 reveal the time of minting, and version 7 also
   * the order of minting; version 1 has a random node, never the address of a machine.
   */
  @OptionalChoice(UUID_VERSIONS, { type: 'integer', example: 4 })
  uuidVersion?: UuidVersion;

  /**
   * The target of identifiers that are minted without one: an http or https URL that contains `{guid}` or `{localName}` after the host. The
   * percent-encoded local name replaces the placeholder. Existing targets do not change. Null for no template.
   */
  @NullableText(MAX_TARGET_LENGTH, TEMPLATE)
  targetTemplate?: string | null;

  /** The resolver for `uris.resolver`. A change replaces all of its members. Null for the configured resolver. */
  @ApiProperty({ type: () => ResolverDto, nullable: true, required: false })
  @OptionalOrNull()
  @IsObject()
  @Nested(() => ResolverDto)
  resolver?: ResolverDto | null;
}

/**
 * Changes to a naming authority. An absent member is not changed. The body can be the complete representation. A read-only member that is
 * not always ignored must have its current value; otherwise, the request fails with READ_ONLY_MEMBER.
 */
@Members({
  namingAuthority: ReadOnly('Read-only: the prefix.', { type: String }),
  parent: Computed('Read-only and always ignored, because it changes with another naming authority.', {
    type: String,
    nullable: true,
  }),
  children: Computed('Read-only and always ignored, because it changes with other naming authorities.', {
    type: [String],
  }),
  counts: Computed('Read-only and always ignored, because it changes with every mint.', { type: () => CountsDto }),
  version: ReadOnly('Read-only: the version.', { type: 'integer' }),
  createdAt: ReadOnly('Read-only: the time of creation.', TIME),
  updatedAt: ReadOnly('Read-only: the time of the last change.', TIME),
})
export class UpdateNamingAuthorityDto extends NamingAuthoritySettingsDto {}

/** A naming authority to create. */
@NullIsAbsent()
export class CreateNamingAuthorityDto extends NamingAuthoritySettingsDto {
  /**
   * The Handle prefix, at most 255 bytes. Under the profile "cordra", it has only digits and dots (CID-08). Under "handle", it has any
   * segments without white space that cannot be read as a scheme or a host. If the prefix is derived from a registered prefix, its direct
   * parent must be registered (HS-07): if `12345` is registered, `12345.1.7` requires `12345.1`.
   * @example "12345.1"
   */
  @MaxLength(MAX_PREFIX_BYTES)
  @IsString()
  namingAuthority: string;
}
