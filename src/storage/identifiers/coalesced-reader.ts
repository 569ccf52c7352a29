import type { Sessions } from '../../database/replica/server-state.js';
import { Batcher } from '../batcher.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { denotes, isAt } from '../../registry/key-collision.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { type IdentifierRow, recordColumns, recordOf } from './identifier-row.js';
import type { CanonicalName } from '../../registry/canonical-name.js';

/** Waiting look-ups share the next statement. Larger batches would delay their first look-up. */
const LIMITS = { maxBatchSize: 100, maxConcurrentBatches: 2, maxQueueLength: 5000, maxWaitMs: 3000 };

/** With more objects, a metadata ID returns a list in pages; the statement reads one more. */
const FEW = 10;

/** $1: ordinals; $2: naming authorities; $3: GUIDs. */
const BY_ADDRESS = `
  SELECT w.ordinal, ${recordColumns('r')}
  FROM (
    SELECT u.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = u.naming_authority) AS naming_authority_id
    FROM unnest($1::int[], $2::text[], $3::uuid[]) AS u(ordinal, naming_authority, guid) OFFSET 0
  ) w
  JOIN identifier_record r ON r.guid = w.guid AND r.naming_authority_id = w.naming_authority_id`;

/** $1: ordinals; $2: naming authorities; $3: keys of local names. */
const BY_LOCAL_KEY = `
  SELECT w.ordinal, ${recordColumns('r')}
  FROM (
    SELECT u.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = u.naming_authority) AS naming_authority_id
    FROM unnest($1::int[], $2::text[], $3::uuid[]) AS u(ordinal, naming_authority, local_key) OFFSET 0
  ) w
  JOIN identifier_record r ON r.local_key = w.local_key AND r.naming_authority_id = w.naming_authority_id`;

/** $1: ordinals; $2: keys of metadata IDs; $3: the most identifiers for each of them. */
const BY_METADATA = `
  SELECT w.ordinal, ${recordColumns('r')}
  FROM unnest($1::int[], $2::uuid[]) AS w(ordinal, key)
  CROSS JOIN LATERAL (
    SELECT * FROM identifier_record x WHERE x.metadata_key = w.key AND NOT x.expired LIMIT $3
  ) r
  ORDER BY w.ordinal, r.created_at, r.id`;

/**
 * `prisma.identifier.find` and `findByMetadataId`, see `read-client.ts`. Coalesces look-ups of single records. The caller
 * checks what the principal can see.
 */
export class CoalescedReader {
  private readonly byGuid = new Batcher<Address, IdentifierRecord | null>(async (addresses) => {
    const guids = addresses.map(({ guid }) => guid);
    return singles(addresses, await this.rows('find-by-guid', BY_ADDRESS, addresses, guids));
  }, LIMITS);

  private readonly byLocalKey = new Batcher<Address, IdentifierRecord | null>(async (addresses) => {
    const keys = addresses.map(({ localKey }) => localKey);
    return singles(addresses, await this.rows('find-by-local-key', BY_LOCAL_KEY, addresses, keys));
  }, LIMITS);

  private readonly byMetadata = new Batcher<CanonicalName, IdentifierRecord[]>(
    (names) => this.readByMetadataId(names),
    LIMITS,
  );

  constructor(private readonly pool: Sessions) {}

  async find(address: Address): Promise<IdentifierRecord | null> {
    return (address.guid === null ? this.byLocalKey : this.byGuid).add(address);
  }

  /** The objects of a metadata ID, in order of minting. @returns null when they need pages. */
  async findByMetadataId(metadata: CanonicalName): Promise<IdentifierRecord[] | null> {
    const found = await this.byMetadata.add(metadata);
    return found.length > FEW ? null : found;
  }

  get depth(): number {
    return this.byGuid.depth + this.byLocalKey.depth + this.byMetadata.depth;
  }

  private async rows(
    name: string,
    text: string,
    addresses: readonly Address[],
    keys: readonly (string | null)[],
  ): Promise<(IdentifierRow & { ordinal: number })[]> {
    const values = [
      addresses.map((_, ordinal) => ordinal),
      addresses.map(({ namingAuthority }) => namingAuthority),
      keys,
    ];
    return (await this.pool.query<IdentifierRow & { ordinal: number }>({ name, text, values })).rows;
  }

  private async readByMetadataId(names: readonly CanonicalName[]): Promise<IdentifierRecord[][]> {
    const values = [names.map((_, ordinal) => ordinal), names.map(({ key }) => key), FEW + 1];
    const query = { name: 'find-described', text: BY_METADATA, values };
    const { rows } = await this.pool.query<IdentifierRow & { ordinal: number }>(query);
    const records = rows.map((row) => ({ ordinal: row.ordinal, record: recordOf(row) }));
    const found = names.map((): IdentifierRecord[] => []);
    for (const { ordinal, record } of records) {
      const name = names[ordinal];
      if (name !== undefined && record.metadataId !== null && denotes(record.metadataId, name))
        found[ordinal]?.push(record);
    }
    return found;
  }
}

function singles(
  addresses: readonly Address[],
  rows: readonly (IdentifierRow & { ordinal: number })[],
): (IdentifierRecord | null)[] {
  const found = new Map(rows.map((row) => [row.ordinal, row]));
  return addresses.map((address, ordinal) => {
    const row = found.get(ordinal);
    const record = row === undefined ? null : recordOf(row);
    // The database compares GUIDs.
    return record === null || address.guid !== null || isAt(record.localName, address) ? record : null;
  });
}
