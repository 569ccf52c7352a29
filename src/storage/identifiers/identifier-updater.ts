import { Injectable } from '@nestjs/common';
import { lockForChange } from '../changes/change-log.js';
import { POSITION_GATE } from '../changes/position-offset.js';
import { type Actor, SERVICE, difference, mutableAttributesOf } from '../../registry/change.js';
import { IdentifierReader, type PairedRecords } from './identifier-reader.js';
import type { IdentifierRecord, MutableAttributes } from '../../registry/identifier-record.js';
import { MEMBERS, TEXTS } from '../../registry/members.js';
import { type Parameter, numbered, valuesOf } from './insert-parameters.js';
import { inputOf } from './insert-statement.js';
import { prepared } from '../statement.js';
import { type AlternateName, gainedBy } from '../../registry/alternate-name.js';
import { profileOf } from '../../registry/naming-authority-snapshot.js';
import { isOutdatedClaim } from '../../problem/database-errors.js';
import { conflictInProgress } from '../../problem/storage-problems.js';
import { noteChanges, notePredecessors } from '../touched.js';
import type { Queryable } from '../transactions.js';
import { type Amendment, EXPIRED, amended, changeTime, expiry } from '../../registry/lifecycle.js';

interface Written extends RecordChange {
  readonly after: MutableAttributes;
  readonly at: Date;
}

const PARAMETERS: readonly Parameter<Written>[] = [
  ['id', 'bigint', ({ record }) => record.id.toString()],
  ['sets_metadata', 'boolean', ({ amendment }) => String(amendment.metadata !== undefined)],
  ['metadata_id', 'text', ({ after }) => after.metadataId],
  ['metadata_key', 'uuid', ({ amendment: { metadata } }) => metadata?.key ?? null],
  [
    'alternate_ids',
    'text',
    ({ amendment, after }) => (amendment.alternates ? JSON.stringify(after.alternateIds) : null),
  ],
  ...TEXTS.map(({ name, columns: [column] }): Parameter<Written> => [column, 'text', ({ after }) => after[name]]),
  ['state', 'text', ({ after }) => after.state],
  ['lease_until', 'timestamptz', ({ after }) => after.leaseUntil?.toISOString() ?? null],
  ['withdrawn_at', 'timestamptz', ({ after }) => after.tombstone?.withdrawnAt.toISOString() ?? null],
  ['withdrawal_reason_code', 'text', ({ after }) => after.tombstone?.reasonCode ?? null],
  ['withdrawal_reason', 'text', ({ after }) => after.tombstone?.reason ?? null],
  ['replaced_by', 'text', ({ after }) => after.tombstone?.replacedBy ?? null],
  ['updated_at', 'timestamptz', ({ at }) => at.toISOString()],
  ['sets_values', 'boolean', ({ amendment }) => String(amendment.handleValues !== undefined)],
  ['handle_values', 'text', ({ amendment: { handleValues } }) => (handleValues ? JSON.stringify(handleValues) : null)],
  ['sets_previous_version', 'boolean', ({ amendment }) => String(amendment.previousVersion !== undefined)],
  ['previous_version', 'text', ({ amendment: { previousVersion } }) => previousVersion?.canonical ?? null],
  ['previous_version_key', 'uuid', ({ amendment: { previousVersion } }) => previousVersion?.key ?? null],
  ['naming_authority', 'text', ({ record }) => record.namingAuthority],
  ['version', 'int', ({ record }) => record.version + 1],
  ['kind', 'text', ({ amendment }) => amendment.kind],
  [
    'patch',
    'text',
    ({ record, after }) => JSON.stringify(difference(mutableAttributesOf(record), mutableAttributesOf(after))),
  ],
];

const CLIENT = `$${PARAMETERS.length + 1}`;
const KEY_ID = `$${PARAMETERS.length + 2}`;
const parameter = numbered(PARAMETERS);

/** A subquery hides the number of changes from the planner, so that a session keeps one plan: planning takes longer than execution. */
const $ = (name: string): string => `(SELECT ${parameter(name)})`;

/** Columns that are set to the parameter of the same name. */
const SET = [
  ...MEMBERS.flatMap(({ kind, columns }): readonly string[] =>
    kind === 'text' || kind === 'lifecycle' ? columns : [],
  ),
  'updated_at',
];

/** Updates identifiers and appends the changes to the log, as a trigger requires. A first change also appends the first event. */
const UPDATE = `
  WITH ${POSITION_GATE}, first_events AS (
    INSERT INTO change (position, id, naming_authority_id, identifier_id, version, kind, client, key_id, at, patch)
    SELECT position, id, naming_authority_id, identifier_id, version, kind, client, key_id, at, patch
    FROM first_event WHERE identifier_id = ANY(${$('id')}::bigint[])
  ), appended AS (
    INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, key_id, patch, at)
    SELECT pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset),
           (SELECT n.id FROM naming_authority n WHERE n.prefix = w.naming_authority), w.id, w.version, w.kind, ${CLIENT}, ${KEY_ID}, w.patch, w.at
    FROM unnest(${['naming_authority', 'id', 'version', 'kind', 'patch', 'updated_at'].map($).join(', ')})
      AS w(naming_authority, id, version, kind, patch, at)
  )
  UPDATE identifier i SET
    metadata_id = CASE WHEN w.sets_metadata THEN w.metadata_id ELSE i.metadata_id END,
    metadata_key = CASE WHEN w.sets_metadata THEN w.metadata_key ELSE i.metadata_key END,
    alternate_ids = CASE WHEN w.alternate_ids IS NULL THEN i.alternate_ids
                         ELSE nullif(ARRAY(SELECT json_array_elements_text(w.alternate_ids::json)), '{}') END,
    handle_values = CASE WHEN w.sets_values THEN w.handle_values::jsonb ELSE i.handle_values END,
    previous_version = CASE WHEN w.sets_previous_version THEN w.previous_version ELSE i.previous_version END,
    previous_version_key = CASE WHEN w.sets_previous_version THEN w.previous_version_key ELSE i.previous_version_key END,
    ${SET.map((column) => `${column} = w.${column}`).join(', ')},
    version = i.version + 1, is_first_event = false
  FROM (${inputOf($, PARAMETERS)}) w
  WHERE i.id = w.id`;

/** Identifiers and metadata records that no other transaction can change before this one ends. */
export interface LockedIdentifiers extends PairedRecords {
  /** The time of the lock by the database clock. */
  readonly now: Date;
}

export interface RecordChange {
  readonly record: IdentifierRecord;
  readonly amendment: Amendment;
}

/** Changes identifiers, each with an entry in the change log. */
@Injectable()
export class IdentifierUpdater {
  constructor(private readonly reader: IdentifierReader) {}

  /** Locks identifiers before any write, and records expired leases. @returns existing records, in the order of the IDs. */
  async lock(transaction: Queryable, ids: readonly bigint[]): Promise<LockedIdentifiers> {
    const { now, pairs } = await lockForChange(transaction, ids);
    const found = await this.reader.findPaired(ids, pairs, transaction, now);
    const expired = [...found.records, ...found.metadataRecords.values()].flatMap(({ id, tombstone }) =>
      tombstone?.reasonCode === EXPIRED.reasonCode ? id : [],
    );
    // Most of these expiries were recorded earlier.
    const written = expired.length === 0 ? 0 : await this.writeExpirations(transaction, expired, now);
    return { now, ...(written === 0 ? found : await this.reader.findPaired(ids, pairs, transaction, now)) };
  }

  /** Changes identifiers that were locked at `now`, each at most once. The caller repeats the transaction after a unique violation. */
  async write(transaction: Queryable, actor: Actor, now: Date, requested: readonly RecordChange[]): Promise<void> {
    if (requested.length === 0) return;
    const changes = requested.map(({ record, amendment }) => ({
      record,
      amendment,
      after: amended(record, amendment),
      // The time of an expiry is the end of the lease, as in earlier reads.
      at: changeTime(record, amendment.kind === 'lapsed' ? (record.leaseUntil ?? now) : now),
    }));
    noteChanges(
      transaction,
      changes.map(({ record }) => ({ ...record, identifierId: record.id })),
    );
    const values = [...valuesOf(PARAMETERS, changes), actor.client, actor.keyId];
    await transaction.query(prepared('change-identifiers', UPDATE, values, changes.length));
    notePredecessors(
      transaction,
      changes.map(({ amendment }) => amendment.previousVersion),
    );
    await replaceAlternates(
      transaction,
      changes.flatMap(({ record, amendment: { alternates } }) => (alternates ? [{ record, alternates }] : [])),
    );
  }

  /** Records expired leases. Metadata records minted with the identifiers have the same lease, and expire with them. */
  async expireLeases(transaction: Queryable, ids: readonly bigint[]): Promise<number> {
    const { now, pairs } = await lockForChange(transaction, ids);
    return this.writeExpirations(transaction, [...ids, ...pairs.values()], now);
  }

  private async writeExpirations(transaction: Queryable, ids: readonly bigint[], now: Date): Promise<number> {
    const expired = await this.reader.findExpiredLeases(ids, transaction, now);
    const changes = expired.map((record) => ({ record, amendment: expiry(record, now) }));
    await this.write(transaction, SERVICE, now, changes);
    return expired.length;
  }
}

const INSERT_ALTERNATES = `
  INSERT INTO alternate_identifier (key, naming_authority_id, identifier_id, claimed_authority_id, claimed_name)
  SELECT w.key, i.naming_authority_id, i.id,
         (SELECT n.id FROM naming_authority n WHERE n.prefix = w.prefix AND n.profile = w.profile), w.name
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::uuid[], $5::text[]) AS w(key, id, prefix, name, profile)
  JOIN identifier i USING (id)
  WHERE NOT EXISTS (SELECT FROM alternate_identifier a WHERE a.identifier_id = i.id AND a.key = w.key)`;

/** Stores the alternates of records. Alternates that a record keeps are not claimed again; keys made under another case rule are renewed. */
async function replaceAlternates(
  transaction: Queryable,
  changes: readonly { record: IdentifierRecord; alternates: readonly AlternateName[] }[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.flatMap(({ record, alternates }) => {
    const gained = new Set(gainedBy(record, alternates).map(({ name }) => name));
    return alternates.map((name) => ({ id: record.id.toString(), name, isGained: gained.has(name) }));
  });
  const unchanged = rows.filter(({ isGained }) => !isGained);
  await transaction.query(
    `DELETE FROM alternate_identifier a WHERE a.identifier_id = ANY($1::bigint[])
       AND (a.identifier_id, a.key) NOT IN (SELECT id, key FROM unnest($2::bigint[], $3::uuid[]) AS w(id, key))`,
    [
      changes.map(({ record }) => record.id.toString()),
      unchanged.map(({ id }) => id),
      unchanged.map(({ name }) => name.key),
    ],
  );
  const claims = rows.map(({ name, isGained }) => (isGained ? (name.here?.address ?? null) : null));
  const values = [
    rows.map(({ name }) => name.key),
    rows.map(({ id }) => id),
    claims.map((claim) => claim?.namingAuthority ?? null),
    claims.map((claim) => claim?.guid ?? claim?.localKey ?? null),
    claims.map((claim) => claim && profileOf(claim)),
  ];
  await transaction.query(INSERT_ALTERNATES, values).catch((error: unknown) => {
    throw isOutdatedClaim(error) ? conflictInProgress() : error;
  });
}
