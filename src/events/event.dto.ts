import { ApiProperty } from '../openapi/annotations.js';
import { CHANGE_KINDS, type ChangeKind, type PatchOperation } from '../record/change-log.js';
import type { RecordedChange } from '../record/change-reader.js';
import { logCursor } from './cursor.js';

/** One operation of a JSON Patch (RFC 6902). */
export class PatchOperationDto {
  /** `add` makes the whole document, `replace` one member of it. */
  @ApiProperty({ enum: ['add', 'replace'] })
  op: PatchOperation['op'];

  /**
   * JSON Pointer to a member; empty for the whole document.
   * @example "/target"
   */
  path: string;

  /** What stands there from now on. */
  @ApiProperty({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      ...(['string', 'number', 'boolean', 'null'] as const).map((type) => ({ type })),
    ],
    example: 'https://repo.example.org/objects/7',
  })
  value: unknown;
}

/** One change of an identifier or a naming authority. */
export class ChangeDto {
  /**
   * The version that it made; 1 is the beginning.
   * @example 2
   */
  @ApiProperty({ type: 'integer' })
  version: number;

  /** What became of it. */
  @ApiProperty({ enum: CHANGE_KINDS, enumName: 'ChangeKind' })
  kind: ChangeKind;

  /**
   * When, UTC.
   * @example "2026-11-20T09:30:00.000Z"
   */
  @ApiProperty({ type: String, format: 'date-time' })
  at: string;

  /**
   * Who did it; "service" for what the service does by itself.
   * @example "admin"
   */
  client: string;

  /**
   * The id of the key that the client used, if it had one.
   * @example null
   */
  keyId: string | null;

  /**
   * JSON Patch (RFC 6902) from the version before. The patches of an identifier, from nothing, make the members metadataId,
   * target, alternateIds, state, leaseUntil and tombstone of its representation; those of a naming authority its settings.
   */
  patch: PatchOperationDto[];
}

/** A change as an event. */
export class EventDto extends ChangeDto {
  /**
   * Its place in the log, opaque: `after` reads on behind it.
   * @example "MTAyNCA3"
   */
  id: string;

  /**
   * The naming authority that was changed, or that the identifier belongs to.
   * @example "100.102"
   */
  namingAuthority: string;

  /**
   * The identifier; null for a change of the naming authority itself.
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  identifier: string | null;
}

/** A piece of the log. */
export class EventPageDto {
  /** The events, in the order of the log. */
  items: EventDto[];

  /**
   * The `after` of the next request, on an empty page too.
   * @example "MTAyNCA3"
   */
  next: string;
}

/** One page of a history, newest last. */
export class HistoryPageDto {
  /** The changes, newest last. */
  items: ChangeDto[];

  /**
   * The `cursor` of the next page; null on the last one.
   * @example null
   */
  next: string | null;
}

/** A change as a history shows it. */
export function changeDtoOf({ version, kind, at, client, keyId, patch }: RecordedChange): ChangeDto {
  return { version, kind, at: at.toISOString(), client, keyId, patch: [...patch] };
}

/** A change as an event. */
export function eventOf(change: RecordedChange): EventDto {
  const { namingAuthority, identifier } = change;
  return { id: logCursor(change), namingAuthority, identifier, ...changeDtoOf(change) };
}
