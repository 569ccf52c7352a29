import { Injectable } from '@nestjs/common';
import {
  type Actor,
  type ChangeKind,
  SERVICE,
  appendChanges,
  difference,
  factsOf,
  lockForChange,
} from './change-log.js';
import { bytea } from './digest.js';
import { IdentifierReader } from './identifier-reader.js';
import type { Facts, IdentifierRecord } from './identifier-record.js';
import { LAPSED_REASON } from './rows.js';
import type { StoredName } from './stored-name.js';
import type { Queryable } from './transactions.js';

/** How an identifier is to change. A member that is absent stays as it is. */
export interface Amendment {
  readonly kind: ChangeKind;
  readonly metadata?: StoredName | null;
  readonly target?: string | null;
  readonly alternates?: readonly StoredName[];
  readonly state?: Facts['state'];
  readonly leaseUntil?: Date | null;
  readonly tombstone?: Facts['tombstone'];
}

const UPDATE = `
  UPDATE identifier i SET
    metadata_id = CASE WHEN w.sets_metadata THEN w.metadata_id ELSE i.metadata_id END,
    metadata_key = CASE WHEN w.sets_metadata THEN w.metadata_key ELSE i.metadata_key END,
    alternate_ids = CASE WHEN w.alternate_ids IS NULL THEN i.alternate_ids
                         ELSE ARRAY(SELECT json_array_elements_text(w.alternate_ids::json)) END,
    target = w.target, state = w.state, lease_until = w.lease_until, withdrawn_at = w.withdrawn_at,
    withdrawal_reason = w.withdrawal_reason, replaced_by = w.replaced_by,
    version = i.version + 1, updated_at = greatest(CURRENT_TIMESTAMP, i.updated_at)
  FROM unnest($1::bigint[], $2::boolean[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
              $9::timestamptz[], $10::text[], $11::text[])
    AS w(id, sets_metadata, metadata_id, metadata_key, alternate_ids, target, state, lease_until, withdrawn_at,
         withdrawal_reason, replaced_by)
  WHERE i.id = w.id`;

/** What becomes of a reservation whose lease has ended: what it held is free again. */
const lapse = ({ leaseUntil }: IdentifierRecord): Amendment => ({
  kind: 'lapsed',
  metadata: null,
  alternates: [],
  state: 'withdrawn',
  leaseUntil: null,
  tombstone: { withdrawnAt: leaseUntil ?? new Date(), reason: LAPSED_REASON, replacedBy: null },
});

/** Changes identifiers, each change with its entry in the history; the only one that updates their table. */
@Injectable()
export class IdentifierChanges {
  constructor(private readonly reader: IdentifierReader) {}

  /**
   * Changes identifiers in a transaction of its caller that has written nothing yet.
   * @param decide is asked for each with the record as it is now, while nobody else can change it; null leaves it alone.
   * @returns the records that were changed, as they are now. A unique violation is the caller's to explain.
   */
  async amend(
    transaction: Queryable,
    actor: Actor,
    ids: readonly bigint[],
    decide: (record: IdentifierRecord) => Amendment | null,
  ): Promise<IdentifierRecord[]> {
    await this.lapse(transaction, ids);
    const records = await this.reader.findByIds(ids, transaction);
    const changes = records.flatMap((record) => {
      const amendment = decide(record);
      return amendment === null ? [] : [{ record, amendment, after: applied(record, amendment) }];
    });
    await write(transaction, actor, changes);
    const changed = changes.map(({ record }) => record.id);
    return this.reader.findByIds(changed, transaction);
  }

  /**
   * Writes down which of these reservations have ended; reads have honoured that since.
   * @returns how many there were.
   */
  async lapse(transaction: Queryable, ids: readonly bigint[]): Promise<number> {
    await lockForChange(transaction, ids);
    const lapsed = await this.reader.findUnwrittenLapses(ids, transaction);
    await write(
      transaction,
      SERVICE,
      lapsed.map((record) => ({ record, amendment: lapse(record), after: applied(record, lapse(record)) })),
    );
    return lapsed.length;
  }
}

interface Change {
  readonly record: IdentifierRecord;
  readonly amendment: Amendment;
  readonly after: Facts;
}

async function write(transaction: Queryable, actor: Actor, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await transaction.query(UPDATE, [
    changes.map(({ record }) => record.id.toString()),
    changes.map(({ amendment }) => amendment.metadata !== undefined),
    changes.map(({ after }) => after.metadataId),
    changes.map(({ amendment }) => (amendment.metadata ? bytea(amendment.metadata.key) : null)),
    changes.map(({ amendment, after }) => (amendment.alternates ? JSON.stringify(after.alternateIds) : null)),
    changes.map(({ after }) => after.target),
    changes.map(({ after }) => after.state),
    changes.map(({ after }) => after.leaseUntil?.toISOString() ?? null),
    changes.map(({ after }) => after.tombstone?.withdrawnAt.toISOString() ?? null),
    changes.map(({ after }) => after.tombstone?.reason ?? null),
    changes.map(({ after }) => after.tombstone?.replacedBy ?? null),
  ]);
  await replaceAlternates(
    transaction,
    changes.flatMap(({ record, amendment: { alternates } }) => (alternates ? [{ record, alternates }] : [])),
  );
  await appendChanges(
    transaction,
    actor,
    changes.map(({ record, amendment, after }) => ({
      namingAuthority: record.namingAuthority,
      identifierId: record.id,
      version: record.version + 1,
      kind: amendment.kind,
      patch: difference(factsOf(record), after),
    })),
  );
}

function applied(record: IdentifierRecord, amendment: Amendment): Facts {
  const { metadata, target, alternates, state, leaseUntil, tombstone } = amendment;
  return {
    metadataId: metadata === undefined ? record.metadataId : (metadata?.canonical ?? null),
    target: target === undefined ? record.target : target,
    alternateIds: alternates?.map(({ canonical }) => canonical) ?? record.alternateIds,
    state: state ?? record.state,
    leaseUntil: leaseUntil === undefined ? record.leaseUntil : leaseUntil,
    tombstone: tombstone === undefined ? record.tombstone : tombstone,
  };
}

async function replaceAlternates(
  transaction: Queryable,
  changes: readonly { record: IdentifierRecord; alternates: readonly StoredName[] }[],
): Promise<void> {
  if (changes.length === 0) return;
  await transaction.query('DELETE FROM alternate_identifier WHERE identifier_id = ANY($1::bigint[])', [
    changes.map(({ record }) => record.id.toString()),
  ]);
  const rows = changes.flatMap(({ record, alternates }) => alternates.map(({ key }) => ({ record, key })));
  await transaction.query(
    `INSERT INTO alternate_identifier (key, naming_authority, identifier_id)
     SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[])`,
    [
      rows.map(({ key }) => bytea(key)),
      rows.map(({ record }) => record.namingAuthority),
      rows.map(({ record }) => record.id.toString()),
    ],
  );
}
