import { stringify } from 'csv-stringify/sync';
import { guarded, unguarded } from '../../http/csv/formulas.js';
import type { Row } from '../../http/csv/row-reader.js';
import type { TransferLineDto } from './transfer-line.dto.js';

export const COLUMNS = [
  ...['identifier', 'metadataId', 'target', 'state', 'alternateIds', 'version', 'createdAt', 'updatedAt'],
  ...['leaseUntil', 'withdrawnAt', 'withdrawalReason', 'replacedBy', 'replaces', 'handleValues', 'hiddenValues'],
] as const;

/** Excel needs it to detect UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

const quoteAll = { record_delimiter: 'windows', quoted: true, quoted_empty: true } as const;

export const HEADER = stringify([[...COLUMNS]], quoteAll);

/**
 * Writes rows by RFC 4180, every cell quoted. An apostrophe precedes a formula at the start of a cell or after a `;`, a
 * tab or a line break in it. `readRow` removes it.
 */
export function writeRows(lines: readonly TransferLineDto[]): string {
  return stringify(lines.map(cellsOf), { ...quoteAll, cast: { string: guarded } });
}

/** The columns without which a file is a plain list: a new identifier gets default values for them. */
const REGISTRY_COLUMNS = ['state', 'version', 'createdAt', 'updatedAt'];

/** Whether a row belongs to a plain list, such as `identifier,target`, and not to an export. */
export function isListRow(row: Row): boolean {
  return REGISTRY_COLUMNS.every((column) => !(column in row));
}

function cellsOf(line: TransferLineDto): (string | number | null)[] {
  const { identifier, metadataId, target, state, version, createdAt, updatedAt, leaseUntil, tombstone } = line;
  const { replaces, handleValues, hiddenValues } = line;
  return [
    ...[identifier, metadataId, target, state],
    // Canonical identifiers are URIs, which contain no space.
    line.alternateIds.join(' '),
    ...[version, createdAt, updatedAt, leaseUntil],
    ...[tombstone?.withdrawnAt ?? null, tombstone?.reason ?? null, tombstone?.replacedBy ?? null],
    replaces,
    handleValues === null ? null : JSON.stringify(handleValues),
    hiddenValues,
  ];
}

/** Converts a row to a line of NDJSON, which is validated later. A row of a plain list is registered at `now`. */
export function readRow(row: Row, now = new Date().toISOString()): object {
  const {
    withdrawnAt,
    withdrawalReason,
    replacedBy,
    alternateIds = '',
    version = isListRow(row) ? '1' : '',
    handleValues = '',
    hiddenValues = '',
    ...rest
  } = Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, unguarded(cell)]));
  const present = Object.entries(rest).filter(([, cell]) => cell !== '');
  const tombstone = { withdrawnAt, reason: withdrawalReason, replacedBy: replacedBy === '' ? null : replacedBy };
  const isWithdrawn = [withdrawnAt, withdrawalReason, replacedBy].some((cell) => cell !== undefined && cell !== '');
  return {
    ...(isListRow(row) && { state: 'active', createdAt: now, updatedAt: now }),
    ...Object.fromEntries(present),
    version: numberOr(version),
    ...(handleValues !== '' && { handleValues: jsonOr(handleValues) }),
    ...(hiddenValues !== '' && { hiddenValues: numberOr(hiddenValues) }),
    alternateIds: alternateIds === '' ? [] : alternateIds.split(' '),
    ...(isWithdrawn && { tombstone }),
  };
}

/** The number in a cell, or its text, which is refused later. */
function numberOr(cell: string): number | string {
  return /^[0-9]{1,10}$/.test(cell) ? Number(cell) : cell;
}

/** The JSON in a cell, or its text, which is refused later. */
function jsonOr(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
