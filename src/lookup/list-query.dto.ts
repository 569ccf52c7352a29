import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { IdentifierDto } from '../record/identifier.dto.js';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { MAX_TARGET_LENGTH, STATES, type State } from '../record/identifier-record.js';
import { MAX_STORED_OCTETS } from '../record/stored-name.js';
import { IsTime } from '../record/time.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const LIMIT_MESSAGE = `limit must be a whole number from 1 to ${MAX_LIMIT}`;

/** What the listed identifiers have in common, and which page of them is wanted. */
export class ListQueryDto {
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

  /** How many to answer at most. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, required: false })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^[0-9]{1,4}$/.test(value) ? Number(value) : value,
  )
  @Max(MAX_LIMIT, { message: LIMIT_MESSAGE })
  @Min(1, { message: LIMIT_MESSAGE })
  @IsInt({ message: LIMIT_MESSAGE })
  limit: number = DEFAULT_LIMIT;

  /**
   * Where the page starts: `next` of the page before.
   * @example "MTAyNA"
   */
  @MayBeAbsent()
  @MaxLength(64)
  @IsString()
  cursor?: string;
}

/** One page of identifiers in order of minting. */
export class IdentifierPageDto {
  items: IdentifierDto[];

  /**
   * The `cursor` of the next page; null on the last one.
   * @example null
   */
  next: string | null;
}
