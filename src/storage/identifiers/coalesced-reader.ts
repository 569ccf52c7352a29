import type pg from 'pg';
import type { Sessions } from '../../database/replica/server-state.js';
import { Batcher } from '../batcher.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { denotes, isAt } from '../../registry/key-collision.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { type IdentifierRow, recordColumns, recordOf } from './identifier-row.js';
import type { CanonicalName } from '../../registry/canonical-name.js';

/** Limits of look-ups and resolutions. Those that wait share the next statement. Larger batches would delay their first item. */
const LIMITS = { maxBatchSize: 100, maxConcurrentBatches: 2, maxQueueLength: 5000, maxWaitMs: 3000 };

type Row = IdentifierRow & { readonly ordinal: number };

interface Lookup {
  readonly address: Address;
  readonly minimum: bigint;
}

/** $1: ordinals; $2: naming authorities; $3: GUIDs or keys of local names. */
const recordsBy = (column: 'guid' | 'local_key', describes: boolean): string => `
  SELECT w.ordinal, ${recordColumns('r', describes)}
  FROM (
    SELECT u.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = u.naming_authority) AS naming_authority_id
    FROM unnest($1::int[], $2::text[], $3::uuid[]) AS u(ordinal, naming_authority, ${column}) OFFSET 0
  ) w
  JOIN identifier_record r ON r.${column} = w.${column} AND r.naming_authority_id = w.naming_authority_id`;

const BY_GUID = recordsBy('guid', true);
const BY_LOCAL_KEY = recordsBy('local_key', true);
const BY_GUID_ALONE = recordsBy('guid', false);
const BY_LOCAL_KEY_ALONE = recordsBy('local_key', false);

/** Reads records by their keys; the caller compares their names. Look-ups that arrive together share a statement. */
export class AddressLookups {
  private readonly byGuid: Batcher<Lookup, IdentifierRecord | null>;
  private readonly byLocalKey: Batcher<Lookup, IdentifierRecord | null>;

  /**
   * @param describes whether PostgreSQL computes the column `describes` of the view; otherwise it is an empty list.
   * @param query sends a statement to a server that has replayed the log up to a position.
   */
  constructor(
    describes: boolean,
    private readonly query: (query: pg.QueryConfig, minimum: bigint) => Promise<{ readonly rows: Row[] }>,
  ) {
    const batcher = (name: string, text: string) =>
      new Batcher((lookups: readonly Lookup[]) => this.read(name, text, lookups), LIMITS);
    this.byGuid = describes ? batcher('find-by-guid', BY_GUID) : batcher('resolve-guids', BY_GUID_ALONE);
    this.byLocalKey = describes
      ? batcher('find-by-local-key', BY_LOCAL_KEY)
      : batcher('resolve-local-keys', BY_LOCAL_KEY_ALONE);
  }

  get depth(): number {
    return this.byGuid.depth + this.byLocalKey.depth;
  }

  find(address: Address, minimum = 0n): Promise<IdentifierRecord | null> {
    return (address.guid === null ? this.byLocalKey : this.byGuid).add({ address, minimum });
  }

  private async read(name: string, text: string, lookups: readonly Lookup[]): Promise<(IdentifierRecord | null)[]> {
    const ordinals = lookups.map((_, ordinal) => ordinal);
    const prefixes = lookups.map(({ address }) => address.namingAuthority);
    const keys = lookups.map(({ address }) => address.guid ?? address.localKey);
    const minimum = lookups.reduce((most, lookup) => (lookup.minimum > most ? lookup.minimum : most), 0n);
    const { rows } = await this.query({ name, text, values: [ordinals, prefixes, keys] }, minimum);
    const found = lookups.map((): IdentifierRecord | null => null);
    for (const row of rows) found[row.ordinal] = recordOf(row);
    return found;
  }
}

/** Maximum number of objects of a metadata ID that a look-up returns; more are listed in pages. The statement reads one more. */
const FEW = 10;

/** $1: ordinals; $2: keys of metadata IDs; $3: maximum number of identifiers for each. */
const BY_METADATA = `
  SELECT w.ordinal, ${recordColumns('r')}
  FROM unnest($1::int[], $2::uuid[]) AS w(ordinal, key)
  CROSS JOIN LATERAL (
    SELECT * FROM identifier_record x WHERE x.metadata_key = w.key AND NOT x.expired LIMIT $3
  ) r
  ORDER BY w.ordinal, r.created_at, r.id`;

/** Coalesces look-ups of single records. The caller checks what the principal can see. */
export class CoalescedReader {
  private readonly byAddress: AddressLookups;

  private readonly byMetadata = new Batcher<CanonicalName, IdentifierRecord[]>(
    (names) => this.readByMetadataId(names),
    LIMITS,
  );

  constructor(private readonly pool: Sessions) {
    this.byAddress = new AddressLookups(true, (query) => pool.query(query));
  }

  find(address: Address): Promise<IdentifierRecord | null> {
    const found = this.byAddress.find(address);
    if (address.guid !== null) return found;
    return found.then((record) => (record !== null && isAt(record.localName, address) ? record : null));
  }

  /** The objects of a metadata ID, in order of minting. @returns null for more than `FEW` objects, which are listed in pages. */
  async findByMetadataId(metadata: CanonicalName): Promise<IdentifierRecord[] | null> {
    const found = await this.byMetadata.add(metadata);
    return found.length > FEW ? null : found;
  }

  waitingLookups(): number {
    return this.byAddress.depth + this.byMetadata.depth;
  }

  private async readByMetadataId(names: readonly CanonicalName[]): Promise<IdentifierRecord[][]> {
    const values = [names.map((_, ordinal) => ordinal), names.map(({ key }) => key), FEW + 1];
    const query = { name: 'find-described', text: BY_METADATA, values };
    const { rows } = await this.pool.query<Row>(query);
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
