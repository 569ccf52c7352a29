import { ANY_VALUE, ApiProperty } from '../../openapi/annotations.js';
import { CHANGE_KINDS, type ChangeKind, type PatchOperation } from '../../registry/change.js';

/** One operation of a JSON Patch (RFC 6902). */
export class PatchOperationDto {
  /** `add` creates the whole document, `replace` changes one member. */
  @ApiProperty({ enum: ['add', 'replace'] })
  op: PatchOperation['op'];

  /**
   * JSON Pointer to a member; empty for the whole document.
   * @example "/target"
   */
  path: string;

  /** The new value. */
  @ApiProperty({ type: ANY_VALUE, example: 'https://repo.example.org/objects/7' })
  value: unknown;
}

/** One change of an identifier or a naming authority. */
export class ChangeDto {
  /**
   * The version that the change created; 1 for the first change.
   * @example 2
   */
  @ApiProperty({ type: 'integer' })
  version: number;

  /** The kind of the change. */
  @ApiProperty({ enum: CHANGE_KINDS, enumName: 'ChangeKind' })
  kind: ChangeKind;

  /** The time of the change by the database clock, UTC. Events are ordered by transaction number, so their times need not ascend. */
  @ApiProperty({ type: String, format: 'date-time' })
  at: string;

  /**
   * The client that made the change; "service" for changes by the service itself. Null if the service hides clients from requests without a
   * key.
   */
  @ApiProperty({ type: String, nullable: true, example: 'admin' })
  client: string | null;

  /** The ID of the API key that the client used; null if the client used none, or if `client` is null. */
  keyId: string | null;

  /**
   * The JSON Patch (RFC 6902) from the previous version. Applied in order to an empty document, the patches of an
   * identifier result in the members metadataId, target, language, alternateIds, previousVersion, handleValues, state, leaseUntil and
   * tombstone of its representation; the patches of a naming authority result in its settings. While an identifier is withdrawn for legal
   * reasons, only keys that may curate it get operations on hidden members.
   */
  patch: PatchOperationDto[];
}

/** A change in the log. */
export class EventDto extends ChangeDto {
  /**
   * The opaque position of the event in the log. Send it as `cursor` to read the events that follow. The position is the same on every
   * instance of the service, and after a restart or a restore.
   * @example "q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa"
   */
  id: string;

  /** The naming authority that was changed, or the naming authority of the changed identifier. */
  namingAuthority: string;

  /** The identifier; null for a change of the naming authority itself. */
  identifier: string | null;
}

/** A page of the log. */
export class EventPageDto {
  /** The events, in the requested order. A page can be empty before the end of the log. */
  items: EventDto[];

  /**
   * The value of `cursor` for the next request, which has the same `sort`; present on every page.
   * @example "q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa"
   */
  next: string;

  /**
   * Whether the log has no further events at present; with `sort=-at`, whether the start of the log is reached.
   * @example true
   */
  end: boolean;
}

/** One page of a history, oldest change first. */
export class HistoryPageDto {
  /** The changes, oldest first. */
  items: ChangeDto[];

  /** The `cursor` of the next page; null on the last page. */
  next: string | null;
}
