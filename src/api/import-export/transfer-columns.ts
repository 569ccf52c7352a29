import { NO_TEXTS, TEXTS, textsAfter } from '../../registry/members.js';
import { stringify } from 'csv-stringify/sync';
import { type FileColumns, identifiersIn, textsIn } from '../../http/csv/file-columns.js';
import { guarded } from '../../http/csv/cells.js';
import type { Row } from '../../http/csv/row-reader.js';
import { invalidValue } from '../../problem/problem.js';
import { REGISTRY_MEMBERS, type TransferLine } from './transfer-presenter.js';

const COLUMNS = [
  ...(['identifier', 'metadataId'] as const),
  ...TEXTS.map(({ name }) => name),
  ...(['state', 'alternateIds', 'version', 'createdAt', 'updatedAt'] as const),
  ...([
    'leaseUntil',
    'withdrawnAt',
    'withdrawalReasonCode',
    'withdrawalReason',
    'replacedBy',
    'previousVersion',
  ] as const),
  ...(['handleValues', 'hiddenValues'] as const),
] as const;

export const IMPORT_COLUMNS: FileColumns = { names: COLUMNS, required: ['identifier'], row: 'an import' };

/** Excel detects UTF-8 only by this mark. */
export const BYTE_ORDER_MARK = '\ufeff';

export const DELIMITERS = [',', ';'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface CsvForm {
  readonly columns: readonly Column[];
  readonly delimiter: Delimiter;
}

type Column = (typeof COLUMNS)[number];

/** Parses the `columns` of a query. Without this parameter, returns all columns. @throws Problem INVALID_REQUEST */
export function columnsIn(text: string | undefined): readonly Column[] {
  if (text === undefined) return COLUMNS;
  const columns = text.split(',').map((name) => {
    const column = COLUMNS.find((each) => each.toLowerCase() === name.trim().toLowerCase());
    if (column !== undefined) return column;
    throw invalidValue('#query/columns', `"${name}" is not a column; there are ${COLUMNS.join(', ')}`);
  });
  const repeated = columns.find((name, index) => columns.indexOf(name) < index);
  if (repeated !== undefined) throw invalidValue('#query/columns', `has "${repeated}" twice`);
  return columns;
}

const quoteAll = { record_delimiter: 'windows', quoted: true, quoted_empty: true } as const;

export function writeHeader({ columns, delimiter }: CsvForm): string {
  return stringify([[...columns]], { ...quoteAll, delimiter });
}

/** Writes a row by RFC 4180. An apostrophe guards each formula; `readRow` removes the apostrophe. */
export function writeRow(line: TransferLine, { columns, delimiter }: CsvForm): string {
  const cells = cellsOf(line);
  return stringify([columns.map((column) => cells[column])], { ...quoteAll, delimiter, cast: { string: guarded } });
}

function cellsOf(line: TransferLine): Record<Column, string | number | null> {
  const { identifier, metadataId, state, version, createdAt, updatedAt, leaseUntil, tombstone } = line;
  const { previousVersion, handleValues, hiddenValues } = line;
  return {
    ...textsAfter(NO_TEXTS, line),
    ...{ identifier, metadataId, state, version, createdAt, updatedAt, leaseUntil, previousVersion, hiddenValues },
    // Canonical identifiers are URIs, which contain no space.
    alternateIds: line.alternateIds.join(' '),
    withdrawnAt: tombstone?.withdrawnAt ?? null,
    withdrawalReasonCode: tombstone?.reasonCode ?? null,
    withdrawalReason: tombstone?.reason ?? null,
    replacedBy: tombstone?.replacedBy ?? null,
    handleValues: handleValues === null ? null : JSON.stringify(handleValues),
  };
}

/** Converts a row to a line of NDJSON. In a plain list, an empty target counts as absent, so that the target template applies. */
export function readRow(row: Row): object {
  const { withdrawnAt, withdrawalReasonCode, withdrawalReason, replacedBy, ...others } = textsIn(row);
  const { alternateIds, version, handleValues, hiddenValues, ...rest } = others;
  const isExport = REGISTRY_MEMBERS.every((column) => column in row);
  const members = Object.entries(rest).flatMap(([column, text]): [string, string | null][] => {
    if (text !== '') return [[column, text]];
    return NULLABLE.has(column) || (column === 'target' && isExport) ? [[column, null]] : [];
  });
  const tombstone = {
    withdrawnAt,
    ...(isFilled(withdrawalReasonCode) && { reasonCode: withdrawalReasonCode }),
    reason: withdrawalReason,
    replacedBy: isFilled(replacedBy) ? replacedBy : null,
  };
  const isWithdrawn = [withdrawnAt, withdrawalReasonCode, withdrawalReason, replacedBy].some(isFilled);
  return {
    ...Object.fromEntries(members),
    ...(isFilled(version) && { version: numberOr(version) }),
    ...(isFilled(handleValues) && { handleValues: jsonOr(handleValues) }),
    ...(isFilled(hiddenValues) && { hiddenValues: numberOr(hiddenValues) }),
    ...(alternateIds !== undefined && { alternateIds: identifiersIn(alternateIds) }),
    ...(isWithdrawn && { tombstone }),
  };
}

const NULLABLE: ReadonlySet<string> = new Set([
  ...['metadataId', 'leaseUntil', 'previousVersion'],
  ...TEXTS.map(({ name }): string => name).filter((name) => name !== 'target'),
]);

function isFilled(cell: string | undefined): cell is string {
  return cell !== undefined && cell !== '';
}

function numberOr(cell: string): number | string {
  return /^[0-9]{1,10}$/.test(cell) ? Number(cell) : cell;
}

function jsonOr(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
