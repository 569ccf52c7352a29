import { ApiProperty } from '../openapi/annotations.js';
import {
  AUTHORITY_STATUSES,
  type AuthorityProfile,
  type AuthorityStatus,
  PROFILES,
  UUID_VERSIONS,
  type UuidVersion,
} from '../record/naming-authority.js';

/** The resolver of a naming authority, normalised. */
export class ShownResolverDto {
  /** The scheme of its URLs. */
  @ApiProperty({ enum: ['http', 'https'], example: 'https' })
  scheme: 'http' | 'https';

  /**
   * Host, and a port where it is not the scheme's own.
   * @example "resolve.example.org"
   */
  authority: string;

  /**
   * The path segment that says that a Handle follows (URI-32).
   * @example null
   */
  firstSegment: string | null;
}

/** How many identifiers. */
export class CountDto {
  /**
   * The number, or an estimate of it.
   * @example 4711
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  value: number;

  /**
   * False for an estimate from the database's statistics, which is told from 10,000 on.
   * @example true
   */
  isExact: boolean;
}

/** How many identifiers of a naming authority are in each state. */
export class CountsDto {
  /** Those that are held and were not activated yet. */
  reserved: CountDto;

  /** Those that resolve. */
  active: CountDto;

  /** Those that answer with a tombstone, and those whose reservation ended. */
  withdrawn: CountDto;
}

/** A naming authority: a Handle prefix under which identifiers are minted (CID-09). */
export class NamingAuthorityDto {
  /**
   * The prefix as it was created; ASCII letters in it have no case.
   * @example "12345.1"
   */
  namingAuthority: string;

  /** Nothing is minted under one that is suspended. */
  @ApiProperty({ enum: AUTHORITY_STATUSES, enumName: 'NamingAuthorityStatus' })
  status: AuthorityStatus;

  /** What its local names are: GUIDs (CID-10), or any local names of Handles (CID-02). */
  @ApiProperty({ enum: PROFILES, enumName: 'NamingAuthorityProfile' })
  profile: AuthorityProfile;

  /**
   * Whether local names are compared without the case of ASCII letters (HS-05); GUIDs always are.
   * @example false
   */
  caseInsensitive: boolean;

  /** Version of the UUIDs that are minted; 1 and 7 show when an identifier was minted. */
  @ApiProperty({ enum: UUID_VERSIONS, type: 'integer', example: 4 })
  uuidVersion: UuidVersion;

  /**
   * The target of an identifier that is minted without one; `{guid}` or `{localName}` stands for the local name.
   * @example "https://repo.example.org/objects/{guid}"
   */
  targetTemplate: string | null;

  /** Its own HTTP resolver (URI-36); null for the configured one. */
  @ApiProperty({ type: () => ShownResolverDto, nullable: true, example: null })
  resolver: ShownResolverDto | null;

  /**
   * The prefix that it is derived from (HS-07); null for one segment, and where the operator's configuration created it
   * without its parent.
   * @example "12345"
   */
  parent: string | null;

  /**
   * The prefixes that are derived from it directly.
   * @example []
   */
  children: string[];

  /** How many identifiers it has, at this moment. */
  counts: CountsDto;

  /**
   * 1 when created, one more with every change.
   * @example 1
   */
  @ApiProperty({ type: 'integer' })
  version: number;

  /**
   * When it was created, UTC.
   * @example "2026-11-20T09:30:00.000Z"
   */
  @ApiProperty({ type: String, format: 'date-time' })
  createdAt: string;

  /**
   * When it was last changed, UTC.
   * @example "2026-11-20T09:30:00.000Z"
   */
  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt: string;
}

/** One page of naming authorities in the order of their octets. */
export class NamingAuthorityPageDto {
  /** The naming authorities, in the order of the octets of their prefixes. */
  items: NamingAuthorityDto[];

  /**
   * The `cursor` of the next page; null on the last one.
   * @example null
   */
  next: string | null;
}
