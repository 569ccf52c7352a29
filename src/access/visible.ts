import type { IdentifierRecord } from '../record/identifier-record.js';
import type { Caller } from './caller.js';

/**
 * A record as a caller may see it: which identifiers of hidden naming authorities it describes stays hidden too. Whether
 * the record itself may be seen is asked before, by `Caller.sees`.
 */
export function visibleTo(caller: Caller, record: IdentifierRecord): IdentifierRecord {
  if (!caller.seesPart) return record;
  const describes = record.describes.filter((native) => caller.sees(native.slice(0, native.indexOf('/'))));
  return { ...record, describes };
}
