import type { Uris } from '@mintmark/identifier';
import type { ChangeKind, PatchOperation } from '../registry/change.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { MetadataIdScheme } from '../registry/naming-authority.js';

export const MAX_PAGE_EVENTS = 20;

export interface PageValue {
  readonly index: number;
  readonly type: string;
  readonly data: string;
  /** The time to live in seconds. */
  readonly ttl: number;
  /** A time of RFC 3339, UTC. */
  readonly timestamp: string;
}

export interface PageEvent {
  /** The version that the change created. */
  readonly version: number;
  readonly kind: ChangeKind;
  readonly at: Date;
  /** Null if the reader may not see clients. */
  readonly client: string | null;
  /** The new values; null or absent if they are not shown. */
  readonly patch?: readonly PatchOperation[] | null;
}

/** The data of a page. The caller decides what the reader may see. */
export interface PageRecord {
  readonly record: IdentifierRecord;
  readonly uris: Uris;
  /** Whether a configured resolver leads to the record; true if absent. */
  readonly isPublic?: boolean;
  /** How metadata IDs of the naming authority are read; "recognized" if absent. */
  readonly metadataIdScheme?: MetadataIdScheme;
  /** Null for a page without Handle values. */
  readonly values: readonly PageValue[] | null;
  /** The last changes, newest first; null if the reader may not see the history. */
  readonly history: readonly PageEvent[] | null;
  /** The URL, if any, under which search engines list the page for all spellings of the name. */
  readonly canonicalUrl?: string;
  /** The URL of the complete history; absent for a page without this link. */
  readonly historyUrl?: string;
}
