import type { StoredValue } from '../../registry/stored-value.js';

/** Default number of seconds for which a value may be cached: one day, as in the Handle System. */
export const DEFAULT_TTL_SECONDS = 86_400;

/** Everyone may read the value, and administrators may also change it. */
export const PUBLIC_PERMISSIONS = '1110';

/** The content of an HS_ADMIN value: an administrator of the record, with permissions. */
export interface AdminData {
  /** The Handle whose value at `index` has the key of the administrator. */
  readonly handle: string;
  readonly index: number;
  /** The permissions of the protocol as digits, the most significant first, such as `011111110011`. */
  readonly permissions: string;
}

/** A value in the JSON of the HTTP API of Handle.Net, with its members in this order. `permissions` are absent if they are `1110`. */
export function valueJson({ index, type, data, ttl, permissions, timestamp }: StoredValue): object {
  return {
    index,
    type,
    data: data.format === 'admin' ? { format: 'admin', value: adminOf(data) } : data,
    ...(permissions !== PUBLIC_PERMISSIONS && { permissions }),
    ttl,
    timestamp,
  };
}

/** The content of an HS_ADMIN value, with its members in this order, and `permissions` without leading zeros before the last 12 digits. */
export function adminOf({ value }: StoredValue['data']): AdminData {
  const { handle, index, permissions } = value as AdminData;
  return { handle, index, permissions: Number.parseInt(permissions, 2).toString(2).padStart(12, '0') };
}

/** The data of a value as text; null for any other format than `string`. */
export function textOf({ data }: Pick<StoredValue, 'data'>): string | null {
  return data.format === 'string' && typeof data.value === 'string' ? data.value : null;
}

/** The seconds for which a value may be cached after the time `from`, in milliseconds since 1970. */
export function secondsToLive({ ttl }: Pick<StoredValue, 'ttl'>, from: number): number {
  return typeof ttl === 'number' ? ttl : Math.max(0, Math.floor((Date.parse(ttl) - from) / 1000));
}

/** A time in whole seconds, such as `2026-11-22T04:29:43Z`. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
