import { Injectable } from '@nestjs/common';
import { appendChanges, lockForChange } from '../changes/change-log.js';
import { mutableAttributesOf } from '../../registry/change.js';
import { difference } from '../../registry/change.js';
import { SERVICE } from '../../registry/change.js';
import { type Actor } from '../../registry/change.js';
import { bytea } from '../../registry/digest.js';
import { IdentifierReader } from './identifier-reader.js';
import type { MutableAttributes, IdentifierRecord } from '../../registry/identifier-record.js';
import { EXPIRED_REASON } from './identifier-row.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import type { Queryable } from '../transactions.js';
import { Amendment } from '../../registry/lifecycle.js';

const UPDATE = `
  UPDATE identifier i SET
    metadata_id = CASE WHEN w.sets_metadata THEN w.metadata_id ELSE i.metadata_id END,
    metadata_key = CASE WHEN w.sets_metadata THEN w.metadata_key ELSE i.metadata_key END,
    alternate_ids = CASE WHEN w.alternate_ids IS NULL THEN i.alternate_ids
                         ELSE ARRAY(SELECT json_array_elements_text(w.alternate_ids::json)) END,
    target = w.target, state = w.state, lease_until = w.lease_until, withdrawn_at = w.withdrawn_at,
    withdrawal_reason = w.withdrawal_reason, replaced_by = w.replaced_by,
    version = i.version + 1, updated_at = w.updated_at
  FROM unnest($1::bigint[], $2::boolean[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
              $9::timestamptz[], $10::text[], $11::text[], $12::timestamptz[])
    AS w(id, sets_metadata, metadata_id, metadata_key, alternate_ids, target, state, lease_until, withdrawn_at,
         withdrawal_reason, replaced_by, updated_at)
  WHERE i.id = w.id`;

/** An expired reservation frees its values; its tombstone has the end of the lease. */
const expiry = ({ leaseUntil }: IdentifierRecord, at: Date): Amendment => ({
  kind: 'lapsed',
  metadata: null,
  alternates: [],
  state: 'withdrawn',
  leaseUntil: null,
  tombstone: { withdrawnAt: leaseUntil ?? at, reason: EXPIRED_REASON, replacedBy: null },
});

/** Changes identifiers, each with an entry in the change log. */
@Injectable()
export class IdentifierUpdater {
  constructor(private readonly reader: IdentifierReader) {}

  /**
   * Changes identifiers in a transaction of the caller that has written nothing yet.
   * @param decide returns the change of a locked record, or null for none.
   * @returns the changed records. The caller explains unique violations.
   */
  async amend(
    transaction: Queryable,
    actor: Actor,
    ids: readonly bigint[],
    decide: (record: IdentifierRecord, at: Date) => Amendment | null,
  ): Promise<IdentifierRecord[]> {
    const now = await lockForChange(transaction, ids);
    await this.writeExpirations(transaction, ids, now);
    const records = await this.reader.findByIds(ids, transaction, now);
    const changes = records.flatMap((record) => {
      const at = timeOf(record, now);
      const amendment = decide(record, at);
      return amendment === null ? [] : [changeOf(record, amendment, at)];
    });
    await write(transaction, actor, changes);
    const changed = changes.map(({ record }) => record.id);
    return this.reader.findByIds(changed, transaction, now);
  }

  async expireLeases(transaction: Queryable, ids: readonly bigint[]): Promise<number> {
    return this.writeExpirations(transaction, ids, await lockForChange(transaction, ids));
  }

  private async writeExpirations(transaction: Queryable, ids: readonly bigint[], now: Date): Promise<number> {
    const expired = await this.reader.findExpiredLeases(ids, transaction, now);
    const changes = expired.map((record) => changeOf(record, expiry(record, now), timeOf(record, now)));
    await write(transaction, SERVICE, changes);
    return expired.length;
  }
}

/** Not before the previous change, even if the clock was set back. */
function timeOf({ updatedAt }: IdentifierRecord, now: Date): Date {
  return updatedAt > now ? updatedAt : now;
}

function changeOf(record: IdentifierRecord, amendment: Amendment, at: Date): Change {
  return { record, amendment, after: applied(record, amendment), at };
}

interface Change {
  readonly record: IdentifierRecord;
  readonly amendment: Amendment;
  readonly after: MutableAttributes;
  readonly at: Date;
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
    changes.map(({ at }) => at.toISOString()),
  ]);
  await replaceAlternates(
    transaction,
    changes.flatMap(({ record, amendment: { alternates } }) => (alternates ? [{ record, alternates }] : [])),
  );
  await appendChanges(
    transaction,
    actor,
    changes.map(({ record, amendment, after, at }) => ({
      namingAuthority: record.namingAuthority,
      identifierId: record.id,
      version: record.version + 1,
      kind: amendment.kind,
      patch: difference(mutableAttributesOf(record), after),
      at,
    })),
  );
}

function applied(record: IdentifierRecord, amendment: Amendment): MutableAttributes {
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
  changes: readonly { record: IdentifierRecord; alternates: readonly CanonicalName[] }[],
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
