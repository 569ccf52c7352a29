import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { StoredValue } from '../../registry/stored-value.js';
import { type AdminData, DEFAULT_TTL_SECONDS, PUBLIC_PERMISSIONS, timeText } from './value-json.js';

/** Clients of the Handle System write URL at index 1, HS_ADMIN at 100 and their own values from 2, so METADATA_ID follows HS_ADMIN. */
const COMPUTED_INDEX = { URL: 1, HS_ADMIN: 100, METADATA_ID: 101 } as const;

/** The index of the administrators (HS_VLIST) in the Handle of a prefix, by convention of the Handle System. */
const ADMINISTRATORS_INDEX = 200;

/** All permissions of RFC 3651 3.2.1 except to list Handles and to add or delete derived prefixes. */
const ADMIN_PERMISSIONS = '011111110011';

export type ValueSource = Pick<
  IdentifierRecord,
  'namingAuthority' | 'target' | 'metadataId' | 'createdAt' | 'updatedAt'
>;

/** The values that are computed from the attributes of a record, in order of their indexes. */
export function computedValues(record: ValueSource): readonly StoredValue[] {
  const { target, metadataId, namingAuthority, createdAt, updatedAt } = record;
  const values: StoredValue[] = [];
  if (target !== null) values.push(computed('URL', 'string', target, updatedAt));
  const admin: AdminData = {
    handle: `0.NA/${namingAuthority}`,
    index: ADMINISTRATORS_INDEX,
    permissions: ADMIN_PERMISSIONS,
  };
  values.push(computed('HS_ADMIN', 'admin', admin, createdAt));
  if (metadataId !== null) values.push(computed('METADATA_ID', 'string', metadataId, updatedAt));
  return values;
}

function computed(type: keyof typeof COMPUTED_INDEX, format: string, value: unknown, time: Date): StoredValue {
  return {
    index: COMPUTED_INDEX[type],
    type,
    data: { format, value },
    ttl: DEFAULT_TTL_SECONDS,
    permissions: PUBLIC_PERMISSIONS,
    timestamp: timeText(time),
  };
}
