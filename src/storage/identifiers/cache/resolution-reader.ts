import type pg from 'pg';
import type { Sessions } from '../../../database/replica/server-state.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import type { Address } from '../../../registry/naming-authority-snapshot.js';
import { Batcher } from '../../batcher.js';
import { type IdentifierRow, recordColumns, recordOf } from '../identifier-row.js';

/** As for the look-ups of `coalesced-reader.ts`. */
export const RESOLUTION_LIMITS = { maxBatchSize: 100, maxConcurrentBatches: 2, maxQueueLength: 5000 };

/** $1: ordinals; $2: naming authorities; $3: GUIDs. PostgreSQL does not compute the column `describes` of the view. */
export const RESOLVE_GUIDS = `
  SELECT w.ordinal, ${recordColumns('r', false)}
  FROM (
    SELECT u.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = u.naming_authority) AS naming_authority_id
    FROM unnest($1::int[], $2::text[], $3::uuid[]) AS u(ordinal, naming_authority, guid) OFFSET 0
  ) w
  JOIN identifier_record r ON r.guid = w.guid AND r.naming_authority_id = w.naming_authority_id`;

/** $1: ordinals; $2: naming authorities; $3: keys of local names. */
export const RESOLVE_LOCAL_KEYS = `
  SELECT w.ordinal, ${recordColumns('r', false)}
  FROM (
    SELECT u.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = u.naming_authority) AS naming_authority_id
    FROM unnest($1::int[], $2::text[], $3::uuid[]) AS u(ordinal, naming_authority, local_key) OFFSET 0
  ) w
  JOIN identifier_record r ON r.local_key = w.local_key AND r.naming_authority_id = w.naming_authority_id`;

/**
 * Reads records by their keys, whose names the caller compares, without `describes`, which is an empty list. Look-ups that
 * arrive together share a statement.
 */
export class ResolutionReader {
  private readonly byGuid = new Batcher<Address, IdentifierRecord | null>(
    (addresses) => readResolutions(this.pool, 'guid', addresses),
    RESOLUTION_LIMITS,
  );

  private readonly byLocalKey = new Batcher<Address, IdentifierRecord | null>(
    (addresses) => readResolutions(this.pool, 'localKey', addresses),
    RESOLUTION_LIMITS,
  );

  /** @param pool the hot pool. */
  constructor(private readonly pool: pg.Pool) {}

  /** @throws Problem OVERLOADED when too many wait. */
  async find(address: Address, _minimum: bigint | null = null): Promise<IdentifierRecord | null> {
    return (address.guid === null ? this.byLocalKey : this.byGuid).add(address);
  }

  /** The look-ups that wait for a statement. */
  get depth(): number {
    return this.byGuid.depth + this.byLocalKey.depth;
  }
}

const STATEMENTS = {
  guid: { name: 'resolve-guids', text: RESOLVE_GUIDS },
  localKey: { name: 'resolve-local-keys', text: RESOLVE_LOCAL_KEYS },
};

/** The records of addresses that all have the key; null where none is registered. */
export async function readResolutions(
  from: Sessions,
  key: 'guid' | 'localKey',
  addresses: readonly Address[],
): Promise<(IdentifierRecord | null)[]> {
  const prefixes = addresses.map(({ namingAuthority }) => namingAuthority);
  const values = [addresses.map((_, ordinal) => ordinal), prefixes, addresses.map((address) => address[key])];
  const { rows } = await from.query<IdentifierRow & { ordinal: number }>({ ...STATEMENTS[key], values });
  const found = addresses.map((): IdentifierRecord | null => null);
  for (const row of rows) found[row.ordinal] = recordOf(row);
  return found;
}
