import { Problem } from '../problem/problem.js';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import { type Amendment, amended, describes, following } from '../registry/lifecycle.js';
import type { CurationStep } from './curation-command.js';
import { withStoredValues } from './values-command.js';

/**
 * Decides how the metadata record that was minted with an object changes with it.
 * @param amendment the change of the object.
 * @param record null where none was minted with the object.
 * @returns null where the record stays as it is.
 * @throws Problem WRONG_STATE where there is no record for a requested target.
 */
export function decideMetadataRecord(
  object: IdentifierRecord,
  amendment: Amendment,
  step: CurationStep,
  record: IdentifierRecord | null,
  at: Date,
): Amendment | null {
  const follows = record === null ? null : following(object, amendment, record);
  const target = step.step === 'activated' ? step.metadataTarget : undefined;
  if (target === undefined) return follows;
  if (record === null) throw noRecord(`${nativeText(object)} has no metadata record that was minted with it`);
  if (!describes(record, amended(object, amendment))) {
    const why = `is not ${nativeText(record)}, the metadata record that was minted with it`;
    throw noRecord(`after the activation, the metadata ID of ${nativeText(object)} ${why}`);
  }
  if (record.state === 'withdrawn')
    throw noRecord(`${nativeText(record)}, the metadata record of ${nativeText(object)}, is withdrawn`);
  if (follows === null && target === record.target) return null;
  return { ...(follows ?? { kind: 'changed' }), ...withStoredValues(record, { target }, at) };
}

function noRecord(why: string): Problem {
  const detail = `metadataTarget cannot be set: ${why}`;
  return new Problem('WRONG_STATE', `${detail}.`, { errors: [{ pointer: '/metadataTarget', detail }] });
}
