import { textsAfter } from '../registry/members.js';
import { difference } from '../registry/change.js';
import { type IdentifierRecord, serializeLifecycle } from '../registry/identifier-record.js';

/** Some of the members of an identifier that a line can change, in their JSON form. */
export type ChangedMembers = Readonly<Partial<ReturnType<typeof membersOf>>>;

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

function membersOf(record: IdentifierRecord) {
  const { alternateIds, state, leaseUntil, tombstone } = serializeLifecycle(record);
  const { metadataId, previousVersion } = record;
  return {
    ...textsAfter(record, {}),
    ...{ metadataId, alternateIds, previousVersion, state, leaseUntil },
    // The time of the withdrawal is left out, because a dry run does not know it.
    tombstone: tombstone && {
      reasonCode: tombstone.reasonCode,
      reason: tombstone.reason,
      replacedBy: tombstone.replacedBy,
    },
  };
}
