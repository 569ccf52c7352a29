import { IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MAX_TARGET_LENGTH, STATES, type State } from '../record/identifier-record.js';
import { MAX_STORED_OCTETS } from '../record/stored-name.js';
import { IsTime } from '../record/time.js';

/** What identifiers have in common that a list or an export is to have. */
export class SelectionDto {
  /**
   * The metadata ID that describes them, in any spelling.
   * @example "hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  @MayBeAbsent()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  metadataId?: string;

  /**
   * Their naming authority.
   * @example "100.102"
   */
  @MayBeAbsent()
  @MaxLength(255)
  @IsString()
  namingAuthority?: string;

  /** Their state. */
  @ApiProperty({ enum: STATES, enumName: 'State', required: false })
  @MayBeAbsent()
  @IsIn(STATES)
  state?: State;

  /**
   * The URL they resolve to, exactly as it was given.
   * @example "https://repo.example.org/objects/7"
   */
  @MayBeAbsent()
  @Matches(/^[\x21-\x7e]*$/, { message: 'target must be visible ASCII' })
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  target?: string;

  /**
   * One of their alternate identifiers, in any spelling.
   * @example "info:fedora/demo:7"
   */
  @MayBeAbsent()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  alternateId?: string;

  /** Minted after this time (RFC 3339). */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2026-11-20T09:30:00Z' })
  @MayBeAbsent()
  @IsTime()
  createdAfter?: string;

  /** Minted before this time (RFC 3339). */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2026-11-21T00:00:00Z' })
  @MayBeAbsent()
  @IsTime()
  createdBefore?: string;
}
