import { IsString, MaxLength } from 'class-validator';
import { Optional } from '../validation/member-decorators.js';
import { IsQueryBoolean } from '../validation/query-boolean.js';

/** Characters of `columns`. */
const MAX_COLUMNS_LENGTH = 4096;

/** Settings for all lines of a stream that writes. */
export class FileQueryDto {
  /** Whether the service decides about every line and changes nothing. */
  @IsQueryBoolean(true, false)
  dryRun = false;

  /**
   * For CSV whose columns have other names: pairs `column:member` separated by commas, where the description of the body lists the
   * members. The member
   * `ignore` leaves a column out, and the column `*` means every column that the map does not name.
   * @example "PID:identifier,New URL:target,*:ignore"
   */
  @Optional()
  @MaxLength(MAX_COLUMNS_LENGTH)
  @IsString()
  columns?: string;
}
