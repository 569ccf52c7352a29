import { IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { Optional } from '../../http/validation/optional.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { IdentifierFilterDto } from '../representation/identifier-filter.dto.js';

/** The identifiers to export, and the format for Excel. */
export class ExportQueryDto extends IdentifierFilterDto {
  /**
   * The first characters of the target. Compared octet by octet with the target as it is stored: case and percent-encoding
   * differ.
   * @example "https://old.example.org/"
   */
  @Optional()
  @Matches(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[\x21-\x7e]*$/, {
    message:
      'targetPrefix must be the beginning of a target: "http://" or "https://", followed by visible ASCII characters',
  })
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  targetPrefix?: string;

  /**
   * A client that changed the identifier, at any time after it was minted, registered or imported. Needs a key where
   * histories do not show clients without one.
   * @example "university-repository"
   */
  @Optional()
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, { message: 'changedBy must be the name of a client' })
  @MaxLength(100)
  @IsString()
  changedBy?: string;

  /** "true" returns CSV in UTF-8 with a byte order mark, which Excel needs to detect UTF-8. */
  @ApiProperty({ enum: ['true', 'false'], required: false, example: 'true' })
  @Optional()
  @IsIn(['true', 'false'])
  excel?: 'true' | 'false';
}
