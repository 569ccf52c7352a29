import { MaxLength } from 'class-validator';
import { IsQueryBoolean } from '../validation/query-boolean.js';
import { OptionalText } from '../validation/described-members.js';

/** Maximum length of `columns`, in characters. */
const MAX_COLUMNS_LENGTH = 4096;

/** Settings for all lines of a stream that writes. */
export class FileQueryDto {
  /** Whether the service returns the result that every line would have, and changes nothing. */
  @IsQueryBoolean(true, false)
  dryRun = false;

  /**
   * For CSV: maps columns of the file to members of a line, as pairs `column:member` separated by commas. The members are
   * the columns that the request body `text/csv` lists. The member `ignore` leaves a column out, and the column `*` means every column that
   * the map does not name, including a column that has the name of a member.
   * @example "PID:identifier,New URL:target,*:ignore"
   */
  @MaxLength(MAX_COLUMNS_LENGTH)
  @OptionalText()
  columns?: string;
}
