import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { NullIsAbsent, Optional, IsTime } from '../../http/validation/member-decorators.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';

const MAX_COUNT = 10_000;
const COUNT_MESSAGE = `count must be a whole number from 1 to ${MAX_COUNT}`;

/** Identifiers to reserve. */
export class CreateReservationDto {
  /**
   * The naming authority of the identifiers; it must exist (CID-09).
   * @example "100.102"
   */
  @MaxLength(255)
  @IsString()
  namingAuthority: string;

  /** The number of identifiers. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_COUNT, example: 100 })
  @Max(MAX_COUNT, { message: COUNT_MESSAGE })
  @Min(1, { message: COUNT_MESSAGE })
  @IsInt({ message: COUNT_MESSAGE })
  count: number;

  /** The end of the lease (RFC 3339). It must be in the future, and each identifier must be activated before it. */
  @ApiProperty({ type: String, format: 'date-time', example: '2126-11-20T09:30:00Z' })
  @IsTime()
  leaseUntil: string;
}

/** The identifiers of a reservation to process. */
@NullIsAbsent()
export class ReservationMembersDto {
  /**
   * Some identifiers of the reservation, in any form; when absent, all of them.
   * @example ["100.102/F58FB49EB1F848F0A606E84CEF294BE5"]
   */
  @ApiProperty({ type: [String], minItems: 1, maxItems: MAX_COUNT, required: false })
  @Optional()
  @MaxLength(MAX_STORED_BYTES, { each: true })
  @IsString({ each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_COUNT)
  @IsArray()
  items?: string[];
}
