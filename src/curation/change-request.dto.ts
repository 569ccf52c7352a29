import { ArrayMaxSize, IsArray, IsString, MaxLength } from 'class-validator';
import { MayBeAbsent, MayBeAbsentOrNull } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MAX_ALTERNATES, MAX_TARGET_LENGTH } from '../record/identifier-record.js';
import { MAX_STORED_OCTETS } from '../record/stored-name.js';
import { IsTarget } from '../record/target.js';

/** What to change about an identifier. A member that is absent stays as it is. */
export class ChangeRequestDto {
  /**
   * The identifier of the describing record (CID-24) in any spelling, unique within the naming authority; null removes it.
   */
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    maxLength: MAX_STORED_OCTETS,
    example: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
  })
  @MayBeAbsentOrNull()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  metadataId?: string | null;

  /** The http(s) URL the identifier resolves to; null removes it. */
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    maxLength: MAX_TARGET_LENGTH,
    example: 'https://repo.example.org/objects/8',
  })
  @MayBeAbsentOrNull()
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  target?: string | null;

  /**
   * All other identifiers of the same object from now on, in any spelling; an empty list removes them.
   * @example ["info:fedora/demo:8"]
   */
  @ApiProperty({ type: [String], maxItems: MAX_ALTERNATES, required: false })
  @MayBeAbsent()
  @MaxLength(MAX_STORED_OCTETS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_ALTERNATES)
  @IsArray()
  alternateIds?: string[];
}
