import { IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { Optional } from '../../http/validation/member-decorators.js';
import { IsQueryBoolean } from '../../http/validation/query-boolean.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import { DELIMITERS, type Delimiter } from './transfer-columns.js';
import { IdentifierFilterDto } from '../representation/identifier-filter.dto.js';

/** The identifiers to export, and the form of CSV. `columns`, `delimiter` and `excel` return CSV. */
export class ExportQueryDto extends IdentifierFilterDto {
  /**
   * The first characters of the target. Compared byte by byte with the target as it is stored: case and percent-encoding
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

  /**
   * The columns of CSV, in this order, separated by commas; all of them when absent, as the response `text/csv` lists them.
   * @example "identifier,target"
   */
  @Optional()
  @MaxLength(500)
  @IsString()
  columns?: string;

  /** What separates the cells of CSV: `,`, or `;`, which spreadsheets expect where a comma is the sign for decimals. */
  @ApiProperty({ enum: DELIMITERS, required: false, example: ';' })
  @Optional()
  @IsIn(DELIMITERS)
  delimiter?: Delimiter;

  /** Whether the response is CSV in UTF-8 with a byte order mark, which Excel needs to detect UTF-8. */
  @IsQueryBoolean(true)
  excel?: boolean;
}
