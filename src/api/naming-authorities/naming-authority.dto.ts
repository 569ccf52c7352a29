import { ApiProperty } from '../../openapi/annotations.js';
import {
  METADATA_ID_SCHEMES,
  type MetadataIdScheme,
  NAMING_AUTHORITY_STATES,
  type NamingAuthorityProfile,
  type NamingAuthorityState,
  PROFILES,
  UUID_VERSIONS,
  type UuidVersion,
} from '../../registry/naming-authority.js';
import { CountDto } from '../representation/identifier-filter.dto.js';
import { ResolverDto } from '../representation/resolver.dto.js';

/** The numbers of identifiers of a naming authority, by state. */
export class CountsDto {
  /** Reserved identifiers. */
  reserved: CountDto;

  /** Active identifiers. */
  active: CountDto;

  /** Withdrawn identifiers and expired reservations. */
  withdrawn: CountDto;
}

/** A naming authority: a Handle prefix under which identifiers are minted (CID-09). */
export class NamingAuthorityDto {
  /**
   * The prefix as it was created; its ASCII letters are case-insensitive.
   * @example "12345.1"
   */
  namingAuthority: string;

  /** A suspended naming authority cannot mint. */
  @ApiProperty({ enum: NAMING_AUTHORITY_STATES, enumName: 'NamingAuthorityState' })
  state: NamingAuthorityState;

  /** The kind of local names: GUIDs (CID-10), or any local names of Handles (CID-02). */
  @ApiProperty({ enum: PROFILES, enumName: 'NamingAuthorityProfile' })
  profile: NamingAuthorityProfile;

  /** Whether local names are compared without regard to the case of ASCII letters (HS-05), as GUIDs always are. */
  caseInsensitive: boolean;

  /** Whether identifiers have stored Handle values in addition to the computed ones. */
  storesHandleValues: boolean;

  /** Whether the identifiers are for tests. Handle clients may delete such identifiers. */
  sandbox: boolean;

  /** Which texts are metadata IDs: identifiers in a notation that the service recognizes ("recognized"), or any texts ("any"). */
  @ApiProperty({ enum: METADATA_ID_SCHEMES, enumName: 'MetadataIdScheme' })
  metadataIdScheme: MetadataIdScheme;

  /** The version of minted UUIDs; 1 and 7 reveal the time of minting. */
  @ApiProperty({ enum: UUID_VERSIONS, type: 'integer', example: 4 })
  uuidVersion: UuidVersion;

  /**
   * The target of identifiers minted without one. The percent-encoded local name replaces `{guid}` or `{localName}`. Null for none.
   * @example "https://repo.example.org/objects/{guid}"
   */
  targetTemplate: string | null;

  /** The HTTP resolver of the naming authority (URI-36); null for the configured resolver. */
  @ApiProperty({ type: () => ResolverDto, nullable: true, example: null })
  resolver: ResolverDto | null;

  /**
   * The prefix from which this one is directly derived (HS-07); null for a prefix of one segment, or if the parent, such as `20.500` for
   * `20.500.12345`, is not registered here.
   * @example "12345"
   */
  parent: string | null;

  /**
   * The registered prefixes that are directly derived from this one.
   * @example []
   */
  children: string[];

  /** The current numbers of identifiers. */
  counts: CountsDto;

  /** The version: 1 when created, incremented with every change. */
  @ApiProperty({ type: 'integer' })
  version: number;

  /** The time of creation, UTC. */
  @ApiProperty({ type: String, format: 'date-time' })
  createdAt: string;

  /** The time of the last change, UTC. */
  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt: string;
}

/** One page of naming authorities, in byte order of their prefixes. */
export class NamingAuthorityPageDto {
  /** The naming authorities, in byte order of their prefixes. */
  items: NamingAuthorityDto[];

  /** The `cursor` of the next page; null on the last page. */
  next: string | null;
}
