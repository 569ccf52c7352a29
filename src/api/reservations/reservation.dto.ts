import { IsString, MaxLength } from 'class-validator';
import { IsWholeNumber } from '../../http/validation/described-members.js';
import { IsTime } from '../../http/validation/member-decorators.js';
import { ApiProperty } from '../../openapi/annotations.js';

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

  /** The end of the lease (RFC 3339). It must be in the future, and each identifier must be activated before it. */
  @ApiProperty({ type: String, format: 'date-time', example: '2126-11-20T09:30:00Z' })
  @IsTime()
  leaseUntil: string;
}

/** A reservation of identifiers, in its current state. */
export class ReservationDto {
  /** The ID of the reservation. */
  @ApiProperty({ type: String, format: 'uuid', example: '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10' })
  id: string;

  /** The naming authority of all identifiers of the reservation. */
  namingAuthority: string;

  /** The time of creation, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  createdAt: string;

  /** The end of the lease of the remaining identifiers, UTC; null if none remains. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2126-11-20T09:30:00.000Z' })
  leaseUntil: string | null;

  /** The number of identifiers of the reservation. */
  @ApiProperty({ type: 'integer', example: 100 })
  count: number;

  /** The number of identifiers that are still reserved. */
  @ApiProperty({ type: 'integer', example: 98 })
  reserved: number;

  /** The number of active identifiers. */
  @ApiProperty({ type: 'integer', example: 1 })
  active: number;

  /** The number of withdrawn identifiers: released, expired, or withdrawn after activation. */
  @ApiProperty({ type: 'integer', example: 1 })
  withdrawn: number;

  /**
   * The identifiers that are still reserved, as `NA/local`, always in the same order.
   * @example ["100.102/F58FB49EB1F848F0A606E84CEF294BE5"]
   */
  items: string[];
}
