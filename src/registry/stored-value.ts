/** A Handle value in JSON (RFC 3651 3), as stored, shown, exported and imported. Its members have this order. */
export interface StoredValue {
  /** The index, from 1 to 2^31 - 1, unique in a record. */
  readonly index: number;
  readonly type: string;
  readonly data: {
    /** `string`, `base64`, `admin`, `vlist`, `site` or `key`. */
    readonly format: string;
    readonly value: unknown;
  };
  /** Seconds, or a time of RFC 3339 in whole seconds. */
  readonly ttl: number | string;
  /** Four digits: administrators read, administrators write, everyone reads, everyone writes. */
  readonly permissions: string;
  /** Time of the last change in whole seconds, such as `2026-11-22T04:29:43Z`. */
  readonly timestamp: string;
}

const PUBLIC_READ = 2;

/** The secret key of an administrator, which no reader gets. */
const SECRET_TYPE = 'HS_SECKEY';

/** Whether everyone may read a value. The database function `public_values` must decide in the same way. */
export function isShown({ type, permissions }: Pick<StoredValue, 'type' | 'permissions'>): boolean {
  return permissions[PUBLIC_READ] === '1' && !isSecret({ type });
}

/** Whether a value is a secret key. The key authenticates nobody at this service. */
export function isSecret({ type }: Pick<StoredValue, 'type'>): boolean {
  return type.toUpperCase() === SECRET_TYPE;
}

/** The values that everyone may read. */
export function shownValues(values: readonly StoredValue[] | null): readonly StoredValue[] | null {
  return values?.filter(isShown) ?? null;
}

/** Restores the order of members, which the database does not keep. */
export function orderedValue({ index, type, data, ttl, permissions, timestamp }: StoredValue): StoredValue {
  return { index, type, data: { format: data.format, value: data.value }, ttl, permissions, timestamp };
}
