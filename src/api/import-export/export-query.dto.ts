import { Matches, MaxLength } from 'class-validator';
import { IsQueryBoolean } from '../../http/validation/query-boolean.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { DELIMITERS, type Delimiter } from './transfer-columns.js';
import { IdentifierFilterDto } from '../representation/identifier-filter.dto.js';
import { OptionalChoice, OptionalText } from '../../http/validation/described-members.js';

/** The identifiers to export, and the format of CSV. With `columns`, `delimiter` or `excel=true`, the response is CSV. */
export class ExportQueryDto extends IdentifierFilterDto {
  /**
   * The first characters of the target. They are compared byte by byte with the stored target, so case and percent-encoding matter.
   * @example "https://old.example.org/"
   */
  @Matches(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[\x21-\x7e]*$/, {
    message:
      'targetPrefix must be the beginning of a target: "http://" or "https://", followed by visible ASCII characters',
  })
  @MaxLength(MAX_TARGET_LENGTH)
  @OptionalText()
  targetPrefix?: string;

  /**
   * A client that changed the identifier, at any time after it was minted, registered or imported. Requires an API
   * key if the service hides clients from requests without a key.
   * @example "university-repository"
   */
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, { message: 'changedBy must be the name of a client' })
  @MaxLength(100)
  @OptionalText()
  changedBy?: string;

  /**
   * The columns of the CSV, in this order, separated by commas; all columns if absent. The header line has their names.
   * @example "identifier,target"
   */
  @MaxLength(500)
  @OptionalText()
  columns?: string;

  /** The separator of cells in CSV: `,`, or `;`, which spreadsheets expect in countries that use a decimal comma. */
  @OptionalChoice(DELIMITERS, { example: ';' })
  delimiter?: Delimiter;

  /** Whether the response is CSV in UTF-8 with a byte order mark, which Excel needs to detect UTF-8. */
  @IsQueryBoolean(true)
  excel?: boolean;
}
