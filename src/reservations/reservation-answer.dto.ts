import { ApiProperty } from '../openapi/annotations.js';
import { ProblemDocumentDto } from '../problem/problem-document.dto.js';

/** What became of an item of a reservation. */
export const ITEM_STATUSES = ['activated', 'released', 'skipped'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** A reservation of many identifiers, as it is now. */
export class ReservationDto {
  /** Names the reservation. */
  @ApiProperty({ type: String, format: 'uuid', example: '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10' })
  id: string;

  /**
   * The naming authority of all its identifiers.
   * @example "100.102"
   */
  namingAuthority: string;

  /** When it was made, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  createdAt: string;

  /** Until when those that are left are held, UTC; null when none is left. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2126-11-20T09:30:00.000Z' })
  leaseUntil: string | null;

  /** How many identifiers it was made of. */
  @ApiProperty({ type: 'integer', example: 100 })
  count: number;

  /** How many of them are reserved still. */
  @ApiProperty({ type: 'integer', example: 98 })
  reserved: number;

  /** How many of them are active. */
  @ApiProperty({ type: 'integer', example: 1 })
  active: number;

  /** How many of them are withdrawn: released, lapsed, or withdrawn after they were active. */
  @ApiProperty({ type: 'integer', example: 1 })
  withdrawn: number;

  /**
   * Those that are reserved still, `NA/local`, always in the same order.
   * @example ["100.102/F58FB49EB1F848F0A606E84CEF294BE5"]
   */
  identifiers: string[];
}

/** What became of one identifier. */
export class ReservationItemDto {
  /**
   * `NA/local`; as it was sent where it cannot be read.
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  identifier: string;

  /** "skipped" when nothing was done with it, for the reason in `problem`. */
  @ApiProperty({ enum: ITEM_STATUSES, enumName: 'ReservationItemStatus' })
  status: ItemStatus;

  /** Why it was skipped. */
  @ApiProperty({ type: () => ProblemDocumentDto, required: false })
  problem?: ProblemDocumentDto;
}

/** What became of identifiers of a reservation, in the order in which they were asked for. */
export class ReservationReportDto {
  /** The reservation. */
  @ApiProperty({ type: String, format: 'uuid', example: '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10' })
  id: string;

  /** How many were activated by this request. */
  @ApiProperty({ type: 'integer', example: 1 })
  activated: number;

  /** How many were released by this request. */
  @ApiProperty({ type: 'integer', example: 0 })
  released: number;

  /** How many were left alone. */
  @ApiProperty({ type: 'integer', example: 0 })
  skipped: number;

  /** What became of each, in the order of the request. */
  items: ReservationItemDto[];
}
