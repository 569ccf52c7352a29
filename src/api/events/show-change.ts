import type { Principal } from '../../access/principal.js';
import { withoutLegalOperations } from '../../registry/lifecycle.js';
import type { RecordedChange } from '../../storage/changes/change-reader.js';
import type { ChangeDto, EventDto } from './event.dto.js';
import type { EventCursors } from './event-cursors.js';

/** Who reads changes: whether it sees who made them, and the values of identifiers that are withdrawn for legal reasons. */
export type Reader = Pick<Principal, 'seesActors' | 'curates'>;

export function changeDtoOf(change: RecordedChange, reader: Reader): ChangeDto {
  const { version, kind, at, patch, isLegal, namingAuthority } = change;
  const { client, keyId } = reader.seesActors ? change : { client: null, keyId: null };
  const shown = isLegal && !reader.curates(namingAuthority) ? withoutLegalOperations(patch) : [...patch];
  return { version, kind, at: at.toISOString(), client, keyId, patch: shown };
}

export function eventOf(change: RecordedChange, reader: Reader, cursors: EventCursors): EventDto {
  const { namingAuthority, identifier } = change;
  return { id: cursors.idOf(change), namingAuthority, identifier, ...changeDtoOf(change, reader) };
}
