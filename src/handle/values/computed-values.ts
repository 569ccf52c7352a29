import {
  DEFAULT_TTL_SECONDS,
  type HandleValue,
  PUBLIC_PERMISSIONS,
  type ValueData,
  type ValueSource,
} from './handle-value.js';

/**
 * The indexes of computed values. Clients of the Handle System write URL at 1 and HS_ADMIN at 100, and number their own
 * values from 2, so METADATA_ID follows HS_ADMIN.
 */
export const COMPUTED_INDEX = { URL: 1, HS_ADMIN: 100, METADATA_ID: 101 } as const;

/** The index of the administrators (HS_VLIST) in the Handle of a prefix, by convention of the Handle System. */
const ADMINISTRATORS_INDEX = 200;

/** All permissions for Handles and their values, and none for derived prefixes. */
const ADMIN_PERMISSIONS = 0x7f3;

/** The values that are computed from the attributes of a record, in order of their indexes. */
export function computedValues(record: ValueSource): readonly HandleValue[] {
  const { target, metadataId, namingAuthority, createdAt, updatedAt } = record;
  const values: HandleValue[] = [];
  if (target !== null) values.push(computed('URL', { format: 'string', value: target }, updatedAt));
  const admin = { handle: `0.NA/${namingAuthority}`, index: ADMINISTRATORS_INDEX, permissions: ADMIN_PERMISSIONS };
  values.push(computed('HS_ADMIN', { format: 'admin', value: admin }, createdAt));
  if (metadataId !== null) values.push(computed('METADATA_ID', { format: 'string', value: metadataId }, updatedAt));
  return values;
}

function computed(type: keyof typeof COMPUTED_INDEX, data: ValueData, timestamp: Date): HandleValue {
  return {
    index: COMPUTED_INDEX[type],
    type,
    data,
    ttl: { seconds: DEFAULT_TTL_SECONDS },
    permissions: PUBLIC_PERMISSIONS,
    timestamp,
    references: [],
  };
}
