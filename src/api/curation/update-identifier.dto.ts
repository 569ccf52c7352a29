import { IsString, MaxLength } from 'class-validator';
import { OptionalOrNull } from '../../http/validation/optional.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { MAX_STORED_OCTETS } from '../../registry/canonical-name.js';
import { IsAlternateIds } from '../../http/validation/is-alternate-ids.js';
import { IsTarget } from '../../http/validation/is-target.js';

/** The changes to an identifier. A member that is absent is not changed. */
export class UpdateIdentifierDto {
  /**
   * The identifier of the metadata record (CID-24) in any form, unique within the naming authority; null removes it.
   */
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    maxLength: MAX_STORED_OCTETS,
    example: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
  })
  @OptionalOrNull()
  @MaxLength(MAX_STORED_OCTETS)
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

  /**
   * All alternate identifiers of the object, in any form. Replaces the present list; an empty list removes them.
   * @example ["info:fedora/demo:8"]
   */
  @IsAlternateIds()
  alternateIds?: string[];

  /**
   * The identifier of the previous version of the object, in any form; null removes it. One under a naming authority of this
   * service must be registered and not only reserved. A reserved identifier gets it with its activation.
   */
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    maxLength: MAX_STORED_OCTETS,
    example: '100.102/A3D8BE7457C943FFB66ED4583059A8BA',
  })
  @OptionalOrNull()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  replaces?: string | null;
}
