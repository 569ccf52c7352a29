import { type HandleValue, PUBLIC_PERMISSIONS, type TimeToLive, type ValueData } from './handle-value.js';

/** A value in the JSON of the HTTP API of Handle.Net, with its members in this order. */
export interface ValueJson {
  readonly index: number;
  readonly type: string;
  readonly data: { readonly format: string; readonly value: unknown };
  /** Four digits, as in a stored value; absent where they are `1110`. */
  readonly permissions?: string;
  /** Seconds, or a time of RFC 3339. */
  readonly ttl: number | string;
  /** Whole seconds, UTC. */
  readonly timestamp: string;
}

export function valueJson({ index, type, data, ttl, permissions, timestamp }: HandleValue): ValueJson {
  return {
    index,
    type,
    data: dataJson(data),
    ...(permissions !== PUBLIC_PERMISSIONS && { permissions: permissionsText(permissions) }),
    ttl: ttlJson(ttl),
    timestamp: timeText(timestamp),
  };
}

/** A time in whole seconds, such as `2026-11-22T04:29:43Z`. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** The permissions of a value as digits, such as `1110`. */
export function permissionsText(permissions: number): string {
  return permissions.toString(2).padStart(4, '0');
}

/** The 12 permissions of an administrator as digits, the most significant first, such as `011111110011`. */
export function adminPermissionsText(permissions: number): string {
  return permissions.toString(2).padStart(12, '0');
}

function dataJson(data: ValueData): ValueJson['data'] {
  if (data.format !== 'admin') return data;
  const { handle, index, permissions } = data.value;
  return { format: 'admin', value: { handle, index, permissions: adminPermissionsText(permissions) } };
}

function ttlJson(ttl: TimeToLive): number | string {
  return 'seconds' in ttl ? ttl.seconds : timeText(ttl.until);
}
