import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MAX_STORED_OCTETS } from '../record/stored-name.js';
import { IsTime } from '../record/time.js';

/** Most identifiers of one reservation. */
const MAX_COUNT = 10_000;
const COUNT_MESSAGE = `count must be a whole number from 1 to ${MAX_COUNT}`;

/** Identifiers to reserve. */
export class ReservationRequestDto {
  /**
   * The naming authority to reserve under; it must be configured here (CID-09).
   * @example "100.102"
   */
  @MaxLength(255)
  @IsString()
  namingAuthority: string;

  /** How many. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_COUNT, example: 100 })
  @Max(MAX_COUNT, { message: COUNT_MESSAGE })
  @Min(1, { message: COUNT_MESSAGE })
  @IsInt({ message: COUNT_MESSAGE })
  count: number;

  /** Until when they are held, in the future (RFC 3339); each must be activated before. */
  @ApiProperty({ type: String, format: 'date-time', example: '2126-11-20T09:30:00Z' })
  @IsTime()
  leaseUntil: string;
}

/** Which identifiers of a reservation are meant. */
export class SelectionDto {
  /**
   * Some identifiers of the reservation, in any spelling; absent for all of them.
   * @example ["100.102/F58FB49EB1F848F0A606E84CEF294BE5"]
   */
  @ApiProperty({ type: [String], minItems: 1, maxItems: MAX_COUNT, required: false })
  @MayBeAbsent()
  @MaxLength(MAX_STORED_OCTETS, { each: true })
  @IsString({ each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_COUNT)
  @IsArray()
  identifiers?: string[];
}
