import type { IdentifierRecord } from '../record/identifier-record.js';
import type { MetLaws } from '../record/met-laws.js';
import type { NewIdentifier } from '../record/new-identifier.js';
import { keyReused, requireSameRequest } from '../record/outcomes.js';
import { taken } from '../record/taken.js';
import type { MintOrder } from './mint-order.js';

/** What became of a mint. */
export interface Minted {
  /**
   * `replayed`: the same Idempotency-Key minted it before; `existing`: its metadata ID was known before, and `found`: the
   * same Idempotency-Key had that outcome before.
   */
  readonly outcome: 'created' | 'replayed' | 'existing' | 'found';
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
}

/**
 * What the laws that a new identifier met make of its mint.
 * @returns null when none of them tells: then a GUID of ours existed, or what was in the way has gone, and it is tried again.
 * @throws Problem IDEMPOTENCY_KEY_REUSED, METADATA_ID_TAKEN, GUID_TAKEN, IDENTIFIER_TAKEN or ALTERNATE_ID_TAKEN
 */
export function settledBy(met: MetLaws, order: MintOrder, { address, request }: NewIdentifier): Minted | null {
  if (met.request !== null && request !== null) {
    requireSameRequest(met.request.hash, request.hash);
    return { outcome: 'replayed', record: met.request.record, metadataRecord: met.requestMetadataRecord };
  }
  if (met.otherRequest && request !== null) throw keyReused();
  if (met.metadata !== null) return settledByMetadata(met.metadata, met.address, order);
  if (met.address !== null && order.guid !== null)
    throw taken('GUID_TAKEN', 'This GUID is registered', met.address, '/guid');
  if (met.address !== null && order.localName !== null && address.guid === null) {
    throw taken('IDENTIFIER_TAKEN', 'This local name is registered', met.address, '/localName');
  }
  if (met.alternate !== null) {
    const { record, index } = met.alternate;
    throw taken('ALTERNATE_ID_TAKEN', 'This alternate identifier has an identifier', record, `/alternateIds/${index}`);
  }
  return null;
}

function settledByMetadata(existing: IdentifierRecord, registered: IdentifierRecord | null, order: MintOrder): Minted {
  // Answering another identifier than the one to be registered would look like success.
  const isOther = (order.guid !== null || order.localName !== null) && registered?.id !== existing.id;
  if (order.onExisting === 'return' && !isOther) return { outcome: 'existing', record: existing, metadataRecord: null };
  throw taken('METADATA_ID_TAKEN', 'This metadata ID describes an identifier', existing, '/metadataId');
}
