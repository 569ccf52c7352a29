import { stringify } from 'csv-stringify/sync';
import type { TransferLineDto } from './transfer-line.dto.js';

/** The columns of a CSV file, in this order. */
export const COLUMNS = [
  ...['identifier', 'metadataId', 'target', 'state', 'alternateIds', 'version', 'createdAt', 'updatedAt'],
  ...['leaseUntil', 'withdrawnAt', 'withdrawalReason', 'replacedBy'],
] as const;

/** A row of a CSV file as it is read: every cell is text. */
export type Row = Readonly<Record<string, string>>;

/** What spreadsheets take for the beginning of a formula, and the apostrophe that keeps them from it. */
const DANGEROUS = /^[=+\-@\t\r']/;

/** The first line of a CSV file. */
export const HEADER = `${COLUMNS.join(',')}\r\n`;

/** Writes rows by RFC 4180. A cell that a spreadsheet would run gets an apostrophe before it. */
export function writeRows(lines: readonly TransferLineDto[]): string {
  return stringify(lines.map(cellsOf), {
    record_delimiter: 'windows',
    cast: { string: (text) => (DANGEROUS.test(text) ? `'${text}` : text) },
  });
}

function cellsOf(line: TransferLineDto): (string | number | null)[] {
  const { identifier, metadataId, target, state, version, createdAt, updatedAt, leaseUntil, tombstone } = line;
  return [
    ...[identifier, metadataId, target, state],
    // Canonical spellings are URIs, and these hold no space.
    line.alternateIds.join(' '),
    ...[version, createdAt, updatedAt, leaseUntil],
    ...[tombstone?.withdrawnAt ?? null, tombstone?.reason ?? null, tombstone?.replacedBy ?? null],
  ];
}

/** Turns a row into what the same identifier is in NDJSON; what is wrong in it is found where that is read. */
export function readRow(row: Row): object {
  const {
    withdrawnAt,
    withdrawalReason,
    replacedBy,
    alternateIds = '',
    version = '',
    ...rest
  } = Object.fromEntries(
    Object.entries(row).map(([column, cell]) => [column, cell.startsWith("'") ? cell.slice(1) : cell]),
  );
  const present = Object.entries(rest).filter(([, cell]) => cell !== '');
  const tombstone = { withdrawnAt, reason: withdrawalReason, replacedBy: replacedBy === '' ? null : replacedBy };
  const isWithdrawn = [withdrawnAt, withdrawalReason, replacedBy].some((cell) => cell !== undefined && cell !== '');
  return {
    ...Object.fromEntries(present),
    version: /^[0-9]{1,10}$/.test(version) ? Number(version) : version,
    alternateIds: alternateIds === '' ? [] : alternateIds.split(' '),
    ...(isWithdrawn && { tombstone }),
  };
}
