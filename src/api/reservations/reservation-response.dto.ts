import { ApiProperty } from '../../openapi/annotations.js';
import { ProblemDocumentDto, problemDocument } from '../../problem/problem-document.dto.js';
import type { SettlementReport } from '../../reserving/settlement.js';

/** The possible results for one identifier of a reservation. */
const ITEM_OUTCOMES = ['activated', 'released', 'skipped'] as const;
type ItemOutcome = (typeof ITEM_OUTCOMES)[number];

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

/** The result for one identifier. */
export class ReservationItemDto {
  /** The identifier as `NA/local`, or the text that the client sent if it is malformed or not part of the reservation. */
  identifier: string;

  /** "skipped" if the identifier was not changed; `problem` has the reason. */
  @ApiProperty({ enum: ITEM_OUTCOMES, enumName: 'ReservationItemOutcome' })
  outcome: ItemOutcome;

  /**
   * Why the identifier was skipped: `NOT_IN_RESERVATION`, `DUPLICATE_IN_REQUEST`, `WRONG_STATE`, or a syntax code. Pointers refer to
   * the request.
   */
  @ApiProperty({ type: () => ProblemDocumentDto, required: false })
  problem?: ProblemDocumentDto;
}

/** The results for identifiers of a reservation, in the order of the request. */
export class ReservationReportDto {
  /** The ID of the reservation. */
  @ApiProperty({ type: String, format: 'uuid', example: '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10' })
  id: string;

  /** The number of identifiers that this request activated. */
  @ApiProperty({ type: 'integer', example: 1 })
  activated: number;

  /** The number of identifiers that this request released. */
  @ApiProperty({ type: 'integer', example: 0 })
  released: number;

  /** The number of identifiers that this request skipped. */
  @ApiProperty({ type: 'integer', example: 0 })
  skipped: number;

  /** One result for each identifier, in the order of the request. */
  items: ReservationItemDto[];
}

/** The response to an activation or a release. @param instance the path of the request. */
export function presentReport({ id, settlement, items }: SettlementReport, instance: string): ReservationReportDto {
  const shown = items.map(({ identifier, problem }): ReservationItemDto =>
    problem === null
      ? { identifier, outcome: settlement }
      : { identifier, outcome: 'skipped', problem: problemDocument(problem, instance) },
  );
  const counted = (outcome: ItemOutcome): number => shown.filter((item) => item.outcome === outcome).length;
  const [activated, released, skipped] = [counted('activated'), counted('released'), counted('skipped')];
  return { id, activated, released, skipped, items: shown };
}
