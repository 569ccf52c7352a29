import type { RecordedChange } from '../../storage/changes/change-reader.js';
import type { ChangeDto, EventDto } from './event.dto.js';
import type { EventCursors } from './event-cursors.js';

/** @param showsActor whether the reader sees who made the change. */
export function changeDtoOf(change: RecordedChange, showsActor: boolean): ChangeDto {
  const { version, kind, at, patch } = change;
  const { client, keyId } = showsActor ? change : { client: null, keyId: null };
  return { version, kind, at: at.toISOString(), client, keyId, patch: [...patch] };
}

export function eventOf(change: RecordedChange, showsActor: boolean, cursors: EventCursors): EventDto {
  const { namingAuthority, identifier } = change;
  return { id: cursors.idOf(change), namingAuthority, identifier, ...changeDtoOf(change, showsActor) };
}
