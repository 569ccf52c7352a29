import { IsIn } from 'class-validator';
import { Optional } from '../../http/validation/optional.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { IdentifierFilterDto } from '../representation/identifier-filter.dto.js';

/** The identifiers to export, and the format for Excel. */
export class ExportQueryDto extends IdentifierFilterDto {
  /** "true" returns CSV in UTF-8 with a byte order mark, which Excel needs to detect UTF-8. */
  @ApiProperty({ enum: ['true', 'false'], required: false, example: 'true' })
  @Optional()
  @IsIn(['true', 'false'])
  excel?: 'true' | 'false';
}
