import { type GivenTexts, textsAfter } from '../registry/members.js';
import { difference } from '../registry/change.js';
import { type IdentifierRecord, type Tombstone, serializeLifecycle } from '../registry/identifier-record.js';
import type { State } from '../registry/identifier-record.js';

/** The members of an identifier that a line can change, in their JSON form. */
export interface ChangedMembers extends GivenTexts {
  readonly metadataId?: string | null;
  readonly alternateIds?: string[];
  readonly previousVersion?: string | null;
  readonly state?: State;
  readonly leaseUntil?: string | null;
  /** Without the time of the withdrawal, which a dry run does not know. */
  readonly tombstone?: Omit<Tombstone, 'withdrawnAt'> | null;
}

/** The members that a change affects, with their former and new values. */
export function changedMembers(
  before: IdentifierRecord,
  after: IdentifierRecord,
): { readonly old: ChangedMembers; readonly new: ChangedMembers } {
  const [old, now] = [membersOf(before), membersOf(after)];
  const changed = difference(old, now).map(({ path }) => path.slice(1) as keyof ChangedMembers);
  const only = (members: ChangedMembers): ChangedMembers =>
    Object.fromEntries(changed.map((name) => [name, members[name]]));
  return { old: only(old), new: only(now) };
}

function membersOf(record: IdentifierRecord): Required<ChangedMembers> {
  const { alternateIds, state, leaseUntil, tombstone } = serializeLifecycle(record);
  const { metadataId, previousVersion } = record;
  return {
    ...textsAfter(record, {}),
    ...{ metadataId, alternateIds, previousVersion, state, leaseUntil },
    tombstone: tombstone && {
      reasonCode: tombstone.reasonCode,
      reason: tombstone.reason,
      replacedBy: tombstone.replacedBy,
    },
  };
}
