import type { Uris } from '@mintmark/identifier';
import type { ChangeKind, PatchOperation } from '../registry/change.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { MetadataIdScheme } from '../registry/naming-authority.js';

/** Changes on a page. */
export const MAX_PAGE_EVENTS = 20;

/** One Handle value, with the data as text. */
export interface PageValue {
  readonly index: number;
  readonly type: string;
  readonly data: string;
  /** Seconds. */
  readonly ttl: number;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
}

/** One change of the history. */
export interface PageEvent {
  /** The version that the change created. */
  readonly version: number;
  readonly kind: ChangeKind;
  readonly at: Date;
  /** Null where the reader may not see clients. */
  readonly client: string | null;
  /** The new values; null or absent where they are not shown. */
  readonly patch?: readonly PatchOperation[] | null;
}

/** What a page shows of a record. The caller decides what the reader may see. */
export interface PageRecord {
  readonly record: IdentifierRecord;
  /** The URIs at the resolver of the record. */
  readonly uris: Uris;
  /** Whether a resolver is configured that leads to the record; absent for true. */
  readonly isPublic?: boolean;
  /** How the metadata IDs of its naming authority are read; "recognized" where it is absent. */
  readonly metadataIdScheme?: MetadataIdScheme;
  /** The Handle values; null for a page without them. */
  readonly values: readonly PageValue[] | null;
  /** The last changes, newest first; null where the reader may not see the history. */
  readonly history: readonly PageEvent[] | null;
  /** The URL by which search engines list the page, for all spellings of the name; absent for none. */
  readonly canonicalUrl?: string;
  /** The URL of the whole history; absent for a page without this link. */
  readonly historyUrl?: string;
}
