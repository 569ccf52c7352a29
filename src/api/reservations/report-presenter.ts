import { problemDocument } from '../../problem/problem-document.dto.js';
import type { ItemOutcome, ReservationItemDto, ReservationReportDto } from './reservation-response.dto.js';
import type { SettledItem, Settlement, SettlementReport } from '../../reserving/settlement.js';

/** The response to an activation or a release. @param instance the path of the request. */
export function presentReport({ id, settlement, items }: SettlementReport, instance: string): ReservationReportDto {
  const shown = items.map((item) => presentItem(item, settlement, instance));
  const counted = (outcome: ItemOutcome): number => shown.filter((item) => item.outcome === outcome).length;
  const [activated, released, skipped] = [counted('activated'), counted('released'), counted('skipped')];
  return { id, activated, released, skipped, items: shown };
}

function presentItem(
  { identifier, problem }: SettledItem,
  settlement: Settlement,
  instance: string,
): ReservationItemDto {
  if (problem === null) return { identifier, outcome: settlement };
  return { identifier, outcome: 'skipped', problem: problemDocument(problem, instance) };
}
