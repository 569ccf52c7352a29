import { IsString, MaxLength } from 'class-validator';
import {
  NullIsAbsent,
  IsAlternateIds,
  IsLanguage,
  IsTarget,
  IsTime,
  Optional,
} from '../../http/validation/member-decorators.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { IdentifierDto } from '../representation/identifier.dto.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { MAX_LOCAL_NAME_BYTES, MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { MAX_LANGUAGE_LENGTH } from '../../registry/members.js';
import { IGNORABLE_MEMBERS, type IgnorableMember } from '../../registry/ignored-members.js';
import { ON_EXISTING, type OnExisting, type Understood } from '../../registry/mint-command.js';
import { OptionalBoolean, OptionalChoice, OptionalText } from '../../http/validation/described-members.js';

/** The states in which an identifier can be created. */
const FIRST_STATES = ['active', 'reserved'] as const;

/** The attributes of a mint request, without the naming authority. The validators of a field run from the last to the first. */
@NullIsAbsent()
export class MintFieldsDto {
  /**
   * The identifier of the metadata record that describes the object (CID-24): a CORDRA identifier, another Handle, a Fedora PID or a Fedora
   * dissemination URI, in any form. Under a naming authority with the `metadataIdScheme` "any", any text of 1 to 2,048 bytes without
   * control characters. A metadata ID is unique within the naming authority.
   */
  @MaxLength(MAX_STORED_BYTES)
  @OptionalText()
  metadataId?: string;

  /**
   * Whether to mint the identifier of the metadata record too, under the same naming authority and in the same transaction; not permitted
   * with `metadataId`. A reserved metadata record is activated with its object, and both reservations end together. Not permitted under a
   * naming authority with the `metadataIdScheme` "any".
   */
  @OptionalBoolean()
  mintMetadataId?: boolean;

  /** The http or https URL to which the metadata record resolves, in the format of `target`; only with `"mintMetadataId": true`. */
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @OptionalText()
  metadataTarget?: string;

  /** The http or https URL to which the identifier resolves. Characters outside visible ASCII must be percent-encoded. */
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @OptionalText()
  target?: string;

  /** The language of the page to which the target leads, as a case-insensitive tag of BCP 47. */
  @ApiProperty({ maxLength: MAX_LANGUAGE_LENGTH })
  @Optional()
  @IsLanguage()
  language?: string;

  /**
   * Alternate identifiers of the same object, in any form, stored in the given order without duplicates. An alternate must not be the
   * identifier of another object. An alternate under a naming authority of this service requires the right to register there; under
   * any other prefix, 32 hexadecimal digits keep the case in which they are sent.
   */
  @IsAlternateIds()
  alternateIds?: string[];

  /**
   * The identifier of the previous version of the object, in any form. A previous version under a naming authority of this service must be
   * registered (an earlier line or item of the request suffices) and not reserved. The member is not permitted with `"state": "reserved"`.
   * @example "100.102/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  @MaxLength(MAX_STORED_BYTES)
  @OptionalText()
  previousVersion?: string;

  /**
   * Registers an existing identifier instead of minting one: the 32 hexadecimal digits of its local name in upper or lower case,
   * or another text form of the UUID.
   */
  @MaxLength(64)
  @OptionalText()
  guid?: string;

  /**
   * Registers an identifier under a naming authority of the profile "handle" by its local name: any legal local name of
   * a Handle (CID-02), stored unchanged.
   */
  @ApiProperty({ required: false, minLength: 1, maxLength: MAX_LOCAL_NAME_BYTES, example: 'report/2026-11' })
  @MaxLength(MAX_LOCAL_NAME_BYTES)
  @OptionalText()
  localName?: string;

  /** "reserved" holds the identifier until `leaseUntil` without activating it. */
  @OptionalChoice(FIRST_STATES, { default: 'active' })
  state?: (typeof FIRST_STATES)[number];

  /** The end of the lease of a reserved identifier (RFC 3339), in the future. The identifier must be activated before this time. */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2126-11-20T09:30:00Z' })
  @Optional()
  @IsTime()
  leaseUntil?: string;

  /**
   * What to do if an identifier of the naming authority already has the `metadataId`. "match" returns this identifier if each member of the
   * request agrees with its value as minted or with its current value, and otherwise fails with 409. "return" returns the identifier
   * unchanged, "reject" fails with 409, and "update" gives the identifier the `target`, the `language` and the `alternateIds` of the
   * request. "match" and "update" fail with 409 if the identifier is withdrawn. With every value, the request fails with 409 if its `guid`
   * or `localName` differs from that of the existing identifier. If no identifier has the `metadataId`, a `guid` or `localName` that is
   * already registered fails with 409. Therefore, a registration without `metadataId` is safe to repeat only with an `Idempotency-Key`.
   */
  @OptionalChoice(ON_EXISTING, { default: 'match' })
  onExisting?: OnExisting;
}

/** An identifier to mint or register. */
export class MintRequestDto extends MintFieldsDto {
  /** The naming authority of the identifier; it must exist (CID-09). */
  @MaxLength(255)
  @IsString()
  namingAuthority: string;
}

export const UNDERSTOOD = {
  type: Object,
  additionalProperties: { type: 'string' },
  required: false,
  example: { '/metadataId': 'info:fedora/demo:7' },
};

/** The response to a mint. */
export class MintedIdentifierDto extends IdentifierDto {
  /** The identifier of the metadata record that was minted in the same request (`mintMetadataId`), otherwise null. */
  @ApiProperty({ type: () => IdentifierDto, nullable: true, example: null })
  metadataRecord: IdentifierDto | null;

  /**
   * The members of the request that differ in the returned identifier, because the identifier already existed with other values or has
   * changed since it was minted; absent if there are none.
   */
  @ApiProperty({ enum: IGNORABLE_MEMBERS, isArray: true, required: false, example: ['target'] })
  ignored?: readonly IgnorableMember[];

  /**
   * The stored notation of each name that was sent in another notation, by its JSON Pointer (RFC 6901) in the request; absent if every name
   * is stored as it was sent.
   */
  @ApiProperty(UNDERSTOOD)
  understood?: Understood;
}
