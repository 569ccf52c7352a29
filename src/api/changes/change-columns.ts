import { TEXTS } from '../../registry/members.js';
import { type FileColumns, identifiersIn, textsIn } from '../../http/csv/file-columns.js';
import type { Row } from '../../http/csv/row-reader.js';

const NAMES = [
  ...(['identifier'] as const),
  ...TEXTS.map(({ name }) => name),
  ...(['metadataId', 'alternateIds', 'previousVersion', 'withdrawalReasonCode'] as const),
  ...([
    'withdrawalReason',
    'replacedBy',
    'reinstate',
    'activate',
    'metadataTarget',
    'ifVersion',
    'clientRef',
    'namingAuthority',
  ] as const),
];

export const CHANGE_COLUMNS: FileColumns = {
  names: NAMES,
  required: ['identifier', 'metadataId'],
  row: 'a change',
};

/** Converts a row to a line of NDJSON, which is validated later. An empty cell sets nothing. */
export function readRow(row: Row): object {
  const cells = Object.entries(textsIn(row)).filter(([, text]) => text !== '');
  const { alternateIds, reinstate, activate, ifVersion, ...others } = Object.fromEntries(cells) as Partial<
    Record<(typeof NAMES)[number], string>
  >;
  const { withdrawalReasonCode: reasonCode, withdrawalReason: reason, replacedBy, ...texts } = others;
  const withdraw = Object.entries({ reasonCode, reason, replacedBy }).filter(([, text]) => text !== undefined);
  return {
    ...texts,
    ...(alternateIds !== undefined && { alternateIds: identifiersIn(alternateIds) }),
    ...(withdraw.length > 0 && { withdraw: Object.fromEntries(withdraw) as object }),
    ...(reinstate !== undefined && { reinstate: truthOr(reinstate) }),
    ...(activate !== undefined && { activate: truthOr(activate) }),
    ...(ifVersion !== undefined && { ifVersion: /^[0-9]{1,10}$/.test(ifVersion) ? Number(ifVersion) : ifVersion }),
  };
}

/** Parses a Boolean, which spreadsheets write in upper case. Other text is returned for validation to reject. */
function truthOr(cell: string): boolean | string {
  const text = cell.trim().toLowerCase();
  return text === 'true' || (text === 'false' ? false : cell);
}
