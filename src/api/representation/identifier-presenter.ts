import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Resolver, canonicalUri, toHandle, urisOf } from '../../identifier/index.js';
import {
  type MutableAttributes,
  type IdentifierRecord,
  identifierOf,
  nativeText,
} from '../../registry/identifier-record.js';
import type { IdentifierDto, TombstoneDto } from './identifier.dto.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/default-resolver.module.js';

@Injectable()
export class IdentifierPresenter {
  constructor(@Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver) {}

  /** The representation of a record, built without further queries. */
  show(record: IdentifierRecord): IdentifierDto {
    const { namingAuthority, guid, localName, metadataId, describes } = record;
    // Members are listed one by one, because spreading objects is much slower.
    const { target, state, alternateIds, version, createdAt, updatedAt, leaseUntil, tombstone } =
      serializeLifecycle(record);
    return {
      identifier: nativeText(record),
      namingAuthority,
      guid,
      localName,
      metadataId,
      describes: [...describes],
      target,
      state,
      alternateIds,
      version,
      createdAt,
      updatedAt,
      leaseUntil,
      tombstone,
      uris: urisOf(identifierOf(record), record.resolver ?? this.resolver),
    };
  }
}

export function serializeLifecycle(
  record: MutableAttributes & Pick<IdentifierRecord, 'version' | 'createdAt' | 'updatedAt'>,
) {
  const { target, state, alternateIds, version, createdAt, updatedAt, leaseUntil } = record;
  return {
    target,
    state,
    alternateIds: [...alternateIds],
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    leaseUntil: leaseUntil?.toISOString() ?? null,
    tombstone: tombstoneOf(record),
  };
}

export function tombstoneOf({ tombstone }: Pick<IdentifierRecord, 'tombstone'>): TombstoneDto | null {
  return tombstone === null ? null : { ...tombstone, withdrawnAt: tombstone.withdrawnAt.toISOString() };
}

/** The media type that Fastify sets for JSON. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** A CORDRA identifier, or a Handle that is served the same. */
const PLAIN = /^[0-9.]+\/[0-9A-F]{32}$/;

/** Native texts that are recognized unchanged: no letters before the "/", no white space at the end. */
const READ_BACK = /^[0-9.]+\/.*\S$/u;

/**
 * The path of an identifier. A GUID follows an unescaped slash; any other local name is part of one escaped segment, as
 * a URI where the native text is ambiguous.
 */
export function locationOf({ identifier }: Pick<IdentifierDto, 'identifier'>): string {
  if (PLAIN.test(identifier)) return `/identifiers/${identifier}`;
  const text = READ_BACK.test(identifier) ? identifier : canonicalUri(toHandle(identifier, 'unicode'));
  return `/identifiers/${encodeURIComponent(text)}`;
}

/**
 * Longest path in a header. Clients and proxies accept 8 or 16 KiB of headers in total; the body contains the
 * identifier in any case.
 */
const MAX_PATH_LENGTH = 7168;

/** `Location`; nothing where the path is too long for a header. */
export function locationHeader(path: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { location: path };
}

/** `Link` with one relation (RFC 8288); nothing where the path is too long for a header. */
export function linkHeader(path: string, rel: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { link: `<${path}>; rel="${rel}"` };
}

/**
 * A strong entity tag (RFC 9110 8.8.3): the version and a digest of the whole representation, because `describes`
 * changes with other records and `uris` with the configuration.
 */
export function entityTag(shown: IdentifierDto): string {
  return new SerializedIdentifier(shown).entityTag;
}

/** A representation that is serialized once, for its entity tag and its response. */
export class SerializedIdentifier {
  private readonly json: string;
  readonly entityTag: string;

  constructor(shown: IdentifierDto) {
    this.json = JSON.stringify(shown);
    this.entityTag = `"${shown.version}-${hash('sha256', this.json, 'base64url').slice(0, 16)}"`;
  }

  /**
   * Sends the representation.
   * @param more members that belong only to the response.
   */
  toResponse(reply: Pick<FastifyReply, 'header'>, more: object): string {
    void reply.header('content-type', JSON_TYPE);
    return `${this.json.slice(0, -1)},${JSON.stringify(more).slice(1)}`;
  }
}
