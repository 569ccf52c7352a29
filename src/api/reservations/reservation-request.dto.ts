import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';
import { NullIsAbsent, Optional, IsTime } from '../../http/validation/member-decorators.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { IsWholeNumber } from '../../http/validation/described-members.js';

const MAX_COUNT = 10_000;

/** Identifiers to reserve. */
export class CreateReservationDto {
  /** The naming authority of the identifiers; it must exist (CID-09). */
  @MaxLength(255)
  @IsString()
  namingAuthority: string;

  /** The number of identifiers. */
  @ApiProperty({ example: 100 })
  @IsWholeNumber(1, MAX_COUNT)
  count: number;

  /** The end of the lease (RFC 3339), in the future. Each identifier must be activated before this time. */
  @ApiProperty({ type: String, format: 'date-time', example: '2126-11-20T09:30:00Z' })
  @IsTime()
  leaseUntil: string;
}

/** The identifiers of a reservation to activate or release. */
@NullIsAbsent()
export class ReservationMembersDto {
  /**
   * Identifiers of the reservation, in any form; if absent, all remaining identifiers.
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
