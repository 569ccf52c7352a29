import { ApiProperty } from '../openapi/annotations.js';
import { STATES, type State } from './identifier-record.js';

/** The URIs of an identifier in canonical form. A form that cannot express the identifier is null, never approximated. */
export class UrisDto {
  /**
   * Path encoding of CORDRA (URI-15).
   * @example "hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  cordraPath: string | null;

  /**
   * Host encoding of CORDRA (URI-07); null where the naming authority reads as an IPv4 address.
   * @example "hdl://100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  cordraHost: string | null;

  /**
   * At the configured HTTP resolver (URI-36).
   * @example "http://hdl.handle.net/100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  http: string | null;

  /**
   * Name form of the Handle URI scheme (HUS-04).
   * @example "hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  handleUri: string | null;

  /**
   * In the info scheme (HUS-01).
   * @example "info:hdl/100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  infoHdl: string | null;

  /**
   * For Fedora names (FED-12); null for all others.
   * @example null
   */
  fedoraUri: string | null;
}

/** What is left of a withdrawn identifier. */
export class TombstoneDto {
  /**
   * When it was withdrawn, or when its reservation ended, UTC.
   * @example "2026-11-20T09:30:00.000Z"
   */
  @ApiProperty({ type: String, format: 'date-time' })
  withdrawnAt: string;

  /**
   * Why, in words for people.
   * @example "The object was deposited twice."
   */
  reason: string;

  /**
   * The identifier to use instead, if there is one: `NA/local` for Handles, canonical for others.
   * @example "100.102/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  replacedBy: string | null;
}

/** A registered identifier. */
export class IdentifierDto {
  /**
   * Naming authority, "/", GUID (CID-04).
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  identifier: string;

  /**
   * The Handle prefix.
   * @example "100.102"
   */
  namingAuthority: string;

  /**
   * 32 hexadecimal digits in capitals (CID-14); null under a naming authority of the profile "handle".
   * @example "F58FB49EB1F848F0A606E84CEF294BE5"
   */
  guid: string | null;

  /**
   * What follows the first "/"; the GUID, in a CORDRA identifier.
   * @example "F58FB49EB1F848F0A606E84CEF294BE5"
   */
  localName: string;

  /**
   * The identifier of the describing record (CID-24), canonical: `hdl:` + Handle, or `info:fedora/…`.
   * @example "hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  metadataId: string | null;

  /**
   * Identifiers that have this one as their metadata ID, in order of minting.
   * @example []
   */
  describes: string[];

  /**
   * The http(s) URL the identifier resolves to.
   * @example "https://repo.example.org/objects/7"
   */
  target: string | null;

  /** Its place in the life of an identifier; nothing is ever deleted or reused. */
  @ApiProperty({ enum: STATES, enumName: 'State' })
  state: State;

  /**
   * Other identifiers of the same object, canonical.
   * @example ["info:fedora/demo:7"]
   */
  alternateIds: string[];

  /**
   * 1 when minted, one more with every change.
   * @example 1
   */
  @ApiProperty({ type: 'integer' })
  version: number;

  /**
   * When it was minted, UTC.
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

  /** Until when a reserved identifier is held, UTC; null for all others. Once it is past, the identifier is withdrawn. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  leaseUntil: string | null;

  /** What a withdrawn identifier answers; null for all others. */
  @ApiProperty({ type: () => TombstoneDto, nullable: true, example: null })
  tombstone: TombstoneDto | null;

  /** Its URIs in canonical form. */
  uris: UrisDto;
}
