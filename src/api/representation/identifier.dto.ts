import { ApiParam, ApiProperty } from '../../openapi/annotations.js';
import { REPAIR_CODES, type RepairCode } from '@mintmark/identifier';
import { REASON_CODES, type ReasonCode, STATES, type State } from '../../registry/identifier-record.js';
import { HandleValueDto } from './handle-value.dto.js';

/**
 * Describes the path parameter `{identifier}`, because OpenAPI templates cannot express an unescaped slash.
 * @param ofGuid what the operation does for a GUID alone.
 */
export const ApiIdentifierParam = (
  example = '100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  ofGuid = 'A GUID alone names no naming authority: the response is 404. `GET /identifiers/{identifier}` finds identifiers by their GUID.',
): MethodDecorator =>
  ApiParam({
    name: 'identifier',
    type: String,
    description:
      'The identifier in any form, percent-encoded; or the naming authority and the local name, separated by an unescaped slash. ' +
      ofGuid,
    example,
  });

/** The location of the identifier in a request whose path has `ApiIdentifierParam`. */
export const IDENTIFIER_POINTER = '#path/identifier';

/** The schema of `repairs` in a response that omits it if there are no repairs. */
export const REPAIRS = { enum: REPAIR_CODES, enumName: 'RepairCode', isArray: true, required: false } as const;

/** The URIs of an identifier in canonical form. A form that cannot express the identifier is null, never approximated. */
export class UrisDto {
  /** Path encoding of CORDRA (URI-15). */
  cordraPath: string | null;

  /** Host encoding of CORDRA (URI-07); null if the naming authority has the form of an IPv4 address. */
  cordraHost: string | null;

  /** The URL at the HTTP resolver that the operator has configured (URI-36), which is not this service by default. */
  resolver: string | null;

  /** Name form of the Handle URI scheme (HUS-04). */
  handleUri: string | null;

  /** The URI of the info scheme (HUS-01). */
  infoHdl: string | null;

  /** The Fedora URI (FED-12); null for identifiers other than Fedora names. */
  fedoraUri: string | null;
}

/** The tombstone of a withdrawn identifier without the time of the withdrawal, which a dry run cannot know. */
export class ChangedTombstoneDto {
  /** The kind of reason. Only the service sets "deleted", "expired", "released" and "undone". */
  @ApiProperty({ enum: REASON_CODES, enumName: 'ReasonCode', example: 'duplicate' })
  reasonCode: ReasonCode;

  /** The reason, for readers. */
  reason: string;

  /** The replacement in canonical form (`hdl:` + Handle, or `info:fedora/…`); null for none. */
  replacedBy: string | null;
}

/** The tombstone of a withdrawn identifier. */
export class TombstoneDto extends ChangedTombstoneDto {
  /** The time of the withdrawal, or of the end of the lease, UTC. */
  @ApiProperty({ type: String, format: 'date-time' })
  withdrawnAt: string;
}

/** A registered identifier. */
export class IdentifierDto {
  /** The naming authority, "/" and the local name (CID-04). */
  identifier: string;

  /** The Handle prefix. */
  namingAuthority: string;

  /** 32 upper-case hexadecimal digits (CID-14); null under a naming authority of the profile "handle". */
  guid: string | null;

  /** The text after the first "/"; in a CORDRA identifier, the GUID. */
  localName: string;

  /**
   * The identifier of the metadata record (CID-24), canonical: `hdl:` + Handle, or `info:fedora/…`. Under a naming authority with the
   * `metadataIdScheme` "any", it is the text that was sent, which denotes no identifier.
   */
  metadataId: string | null;

  /** Identifiers whose metadata ID is this identifier, as `NA/local`, in order of minting. */
  describes: string[];

  /** The http or https URL to which the identifier resolves. */
  target: string | null;

  /** The language of the page to which the target leads, as a tag of BCP 47 with the upper and lower case of RFC 5646 2.1.1. */
  language: string | null;

  /** The state of the identifier. */
  @ApiProperty({ enum: STATES, enumName: 'IdentifierState', example: 'active' })
  state: State;

  /** Alternate identifiers of the same object, canonical. */
  alternateIds: string[];

  /**
   * The identifier of the previous version of the object (`predecessor-version` of RFC 5829), canonical: `hdl:` + Handle, or
   * `info:fedora/…`.
   */
  previousVersion: string | null;

  /** The new versions of the object: the first 20 identifiers whose `previousVersion` is this identifier, in order of minting. */
  newerVersions: string[];

  /** The public stored values of the Handle; null if there are only computed values. The URL value with the lowest index is the target. */
  @ApiProperty({ type: () => [HandleValueDto], nullable: true, example: null })
  handleValues: HandleValueDto[] | null;

  /** Whether the naming authority is for tests, so that Handle clients may delete the identifier. */
  sandbox: boolean;

  /** The version: 1 when minted, incremented with every change. */
  @ApiProperty({ type: 'integer' })
  version: number;

  /** The time of minting, UTC. */
  @ApiProperty({ type: String, format: 'date-time' })
  createdAt: string;

  /** The time of the last change, UTC. */
  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt: string;

  /** The end of the lease of a reserved identifier, UTC; null in any other state. An expired reservation counts as withdrawn. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  leaseUntil: string | null;

  /** The tombstone of a withdrawn identifier; null in any other state. */
  @ApiProperty({ type: () => TombstoneDto, nullable: true, example: null })
  tombstone: TombstoneDto | null;

  /** The URIs of the identifier in canonical form. */
  uris: UrisDto;

  /**
   * The repairs of the identifier in the request, with the codes of `POST /normalize`; absent if there are none. The use of another form,
   * such as the URL at a resolver, is not a repair.
   */
  @ApiProperty(REPAIRS)
  repairs?: readonly RepairCode[];
}
