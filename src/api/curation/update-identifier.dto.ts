import { MAX_LANGUAGE_LENGTH } from '../../registry/members.js';
import { IsString, MaxLength } from 'class-validator';
import { Computed, ReadOnly } from '../../http/validation/read-only.js';
import {
  NullIsAbsent,
  Optional,
  OptionalOrNull,
  IsAlternateIds,
  IsLanguage,
  IsTarget,
} from '../../http/validation/member-decorators.js';
import type { RepairCode } from '@mintmark/identifier';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_TARGET_LENGTH, STATES, type State } from '../../registry/identifier-record.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { IGNORABLE_MEMBERS, type IgnorableMember } from '../../registry/ignored-members.js';
import type { Understood } from '../../registry/mint-command.js';
import { HandleValueDto } from '../representation/handle-value.dto.js';
import { IdentifierDto, REPAIRS, TombstoneDto, UrisDto } from '../representation/identifier.dto.js';

/**
 * The changes to an identifier. A member that is absent is not changed. The body can be the whole representation: a
 * read-only member is ignored when it is equal to the current value, otherwise the request fails with READ_ONLY_MEMBER.
 */
export class UpdateIdentifierDto {
  /**
   * The identifier of the metadata record (CID-24) in any form, unique within the naming authority; null removes it.
   */
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    maxLength: MAX_STORED_BYTES,
    example: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
  })
  @OptionalOrNull()
  @MaxLength(MAX_STORED_BYTES)
  @IsString()
  metadataId?: string | null;

  /** The http or https URL to which the identifier resolves; null removes it. */
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    maxLength: MAX_TARGET_LENGTH,
    example: 'https://repo.example.org/objects/8',
  })
  @OptionalOrNull()
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  target?: string | null;

  /** The language of the page to which the target leads, as a case-insensitive tag of BCP 47; null removes it. */
  @ApiProperty({ type: String, nullable: true, required: false, maxLength: MAX_LANGUAGE_LENGTH, example: 'de' })
  @OptionalOrNull()
  @IsLanguage()
  language?: string | null;

  /**
   * All alternate identifiers of the object, in any form. They replace the present list; an empty list or null removes it. An alternate
   * must not be the identifier of another object; adding one under a naming authority of this service requires the right to register there.
   * @example ["info:fedora/demo:8"]
   */
  @ApiProperty({ nullable: true, required: false })
  @OptionalOrNull()
  @IsAlternateIds()
  alternateIds?: string[] | null;

  /**
   * The identifier of the previous version of the object, in any form; null removes it. If it is under a naming authority
   * of this service, it must be registered and not only reserved. For a reserved identifier, it can be set only by the activation.
   */
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    maxLength: MAX_STORED_BYTES,
    example: '100.102/A3D8BE7457C943FFB66ED4583059A8BA',
  })
  @OptionalOrNull()
  @MaxLength(MAX_STORED_BYTES)
  @IsString()
  previousVersion?: string | null;

  /** Read-only: the identifier. */
  @ApiProperty({ readOnly: true, required: false })
  @ReadOnly()
  identifier?: string;

  /** Read-only: the Handle prefix. */
  @ApiProperty({ readOnly: true, required: false })
  @ReadOnly()
  namingAuthority?: string;

  /** Read-only: the GUID. */
  @ApiProperty({ type: String, nullable: true, readOnly: true, required: false })
  @ReadOnly()
  guid?: string | null;

  /** Read-only: the local name. */
  @ApiProperty({ readOnly: true, required: false })
  @ReadOnly()
  localName?: string;

  /** Read-only and always ignored, because it changes with other identifiers. */
  @ApiProperty({ type: [String], readOnly: true, required: false })
  @Computed()
  describes?: string[];

  /** Read-only and always ignored, because it changes with other identifiers. */
  @ApiProperty({ type: [String], readOnly: true, required: false })
  @Computed()
  newerVersions?: string[];

  /** Read-only: the state. */
  @ApiProperty({ enum: STATES, enumName: 'IdentifierState', readOnly: true, required: false })
  @ReadOnly()
  state?: State;

  /** Read-only: the stored values of the Handle. */
  @ApiProperty({ type: () => [HandleValueDto], nullable: true, readOnly: true, required: false })
  @ReadOnly()
  handleValues?: HandleValueDto[] | null;

  /** Read-only: whether the naming authority is for tests. */
  @ApiProperty({ readOnly: true, required: false })
  @ReadOnly()
  sandbox?: boolean;

  /** Read-only: the version. */
  @ApiProperty({ type: 'integer', readOnly: true, required: false })
  @ReadOnly()
  version?: number;

  /** Read-only: the time of minting. */
  @ApiProperty({ type: String, format: 'date-time', readOnly: true, required: false })
  @ReadOnly()
  createdAt?: string;

  /** Read-only: the time of the last change. */
  @ApiProperty({ type: String, format: 'date-time', readOnly: true, required: false })
  @ReadOnly()
  updatedAt?: string;

  /** Read-only: the end of the lease. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, readOnly: true, required: false })
  @ReadOnly()
  leaseUntil?: string | null;

  /** Read-only: the tombstone. */
  @ApiProperty({ type: () => TombstoneDto, nullable: true, readOnly: true, required: false })
  @ReadOnly()
  tombstone?: TombstoneDto | null;

  /** Read-only and always ignored, because it changes with the configured resolver. */
  @ApiProperty({ type: () => UrisDto, readOnly: true, required: false })
  @Computed()
  uris?: UrisDto;

  /** Ignored: the metadata record in the response to a mint. */
  @ApiProperty({ type: () => IdentifierDto, nullable: true, readOnly: true, required: false })
  @Computed()
  metadataRecord?: IdentifierDto | null;

  /** Ignored: the member `ignored` of the response to a mint. */
  @ApiProperty({ enum: IGNORABLE_MEMBERS, isArray: true, readOnly: true, required: false })
  @Computed()
  ignored?: readonly IgnorableMember[];

  /** Ignored: the names in the response to a mint that are stored in another notation. */
  @ApiProperty({ type: Object, additionalProperties: { type: 'string' }, readOnly: true, required: false })
  @Computed()
  understood?: Understood;

  /** Ignored: how the text of the request differed from the identifier. */
  @ApiProperty({ ...REPAIRS, readOnly: true })
  @Computed()
  repairs?: readonly RepairCode[];
}

/** The changes to an identifier that is activated. */
@NullIsAbsent()
export class ActivateIdentifierDto extends UpdateIdentifierDto {
  /**
   * The http or https URL to which the metadata record that was minted with the object (`mintMetadataId`) resolves, in the format of
   * `target`. If there is no such record, or it is withdrawn, the request fails with WRONG_STATE.
   * @example "https://repo.example.org/objects/7/metadata"
   */
  @Optional()
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  metadataTarget?: string;
}
