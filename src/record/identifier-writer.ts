import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { IdentifierRecord } from './identifier-record.js';
import { type IdentifierRow, RECORD_COLUMNS_SQL, recordOf } from './rows.js';
import type { StoredName } from './stored-name.js';

/** A new identifier, everything decided but whether the database takes it. */
export interface NewIdentifier {
  readonly namingAuthority: string;
  /** 32 hex digits or a hyphenated UUID. */
  readonly guid: string;
  /** The key under which it would be a metadata ID. */
  readonly ownKey: StoredName['key'];
  readonly metadata: StoredName | null;
  readonly target: string | null;
  readonly alternates: readonly StoredName[];
  /** GUID of the metadata record to mint beside the object, in the same statement (CID-24). */
  readonly metadataGuid: string | null;
  /** The Idempotency-Key with SHA-256 of the request's meaning. */
  readonly request: { readonly key: string; readonly hash: Uint8Array } | null;
}

/** The rows that were inserted: the object's and, where one was asked for, its metadata record's. */
export interface Inserted {
  readonly record: IdentifierRecord;
  /** Identifiers that had it as their metadata ID before it was registered. */
  readonly describes: readonly string[];
  readonly metadataRecord: IdentifierRecord | null;
}

/**
 * One statement, committed by itself. No conflict target is named for the object, so every unique index decides, and a
 * row that meets one is left out; the metadata record is inserted only after its object was, and a conflict of its GUID
 * fails the whole statement, so that half a pair cannot exist. What the object describes is read in the same statement:
 * once it is committed, nothing that could fail stands between the client and the answer.
 */
const INSERT = `
  WITH object AS (
    INSERT INTO identifier (naming_authority, guid, metadata_id, metadata_key, target, alternate_ids, alternate_keys,
                            request_key, request_index, request_hash)
    SELECT prefix, $2::uuid, $3::text, $4::bytea, $5::text, $6::text[], $7::bytea[],
           $8::text, CASE WHEN $8::text IS NOT NULL THEN 0 END, $9::bytea
    FROM naming_authority WHERE prefix = $1::text AND status = 'active'
    ON CONFLICT DO NOTHING
    RETURNING *
  ), metadata_record AS (
    INSERT INTO identifier (naming_authority, guid, request_key, request_index, request_hash)
    SELECT naming_authority, $10::uuid, request_key, request_index + 1, request_hash
    FROM object WHERE $10::uuid IS NOT NULL
    RETURNING *
  )
  SELECT 0 AS place, ${RECORD_COLUMNS_SQL},
         ARRAY(SELECT d.naming_authority || '/' || upper(replace(d.guid::text, '-', ''))
               FROM identifier d WHERE d.metadata_key = $11::bytea ORDER BY d.id) AS describes
  FROM object
  UNION ALL
  SELECT 1 AS place, ${RECORD_COLUMNS_SQL}, '{}' AS describes FROM metadata_record
  ORDER BY place`;

const UNIQUE_VIOLATION = '23505';

/** Writes records; the only writer of their table. */
@Injectable()
export class IdentifierWriter {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /**
   * Inserts an identifier, and its metadata record if asked.
   * @returns null when nothing was written, because a unique index or the naming authority's state was in the way;
   * which one, a reader finds out.
   */
  async insert(identifier: NewIdentifier): Promise<Inserted | null> {
    const { namingAuthority, guid, ownKey, metadata, target, alternates, metadataGuid, request } = identifier;
    const values = [
      namingAuthority,
      guid,
      metadata?.canonical ?? null,
      metadata === null ? null : Buffer.from(metadata.key),
      target,
      alternates.map(({ canonical }) => canonical),
      alternates.map(({ key }) => Buffer.from(key)),
      request?.key ?? null,
      request === null ? null : Buffer.from(request.hash),
      metadataGuid,
      Buffer.from(ownKey),
    ];
    try {
      const { rows } = await this.pool.query<IdentifierRow & { place: number; describes: string[] }>({
        name: 'insert-identifier',
        text: INSERT,
        values,
      });
      const [object, metadataRecord] = rows.map(({ place: _, describes, ...row }) => ({
        record: recordOf(row),
        describes,
      }));
      if (object === undefined) return null;
      return { ...object, metadataRecord: metadataRecord?.record ?? null };
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return null;
      throw error;
    }
  }
}
