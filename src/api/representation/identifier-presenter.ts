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

const JSON_TYPE = 'application/json; charset=utf-8';

/** A local name that needs no escape. */
const PLAIN = /^[0-9.]+\/[0-9A-F]{32}$/;

/** Native texts that are recognized unchanged: no letters before the "/" and no trailing white space. */
const READ_BACK = /^[0-9.]+\/.*\S$/u;

/**
 * The path of an identifier: a GUID as it is, any other local name escaped, as a URI where the native text is
 * ambiguous.
 */
export function locationOf({ identifier }: Pick<IdentifierDto, 'identifier'>): string {
  if (PLAIN.test(identifier)) return `/identifiers/${identifier}`;
  const text = READ_BACK.test(identifier) ? identifier : canonicalUri(toHandle(identifier, 'unicode'));
  return `/identifiers/${encodeURIComponent(text)}`;
}

/**
 * A strong entity tag (RFC 9110 8.8.3) of the version and the representation, which includes `describes` and `uris`.
 */
export function entityTag(shown: IdentifierDto): string {
  return new SerializedIdentifier(shown).entityTag;
}

/** A representation that is serialized once for its entity tag and its response. */
export class SerializedIdentifier {
  private readonly json: string;
  readonly entityTag: string;

  constructor(shown: IdentifierDto) {
    this.json = JSON.stringify(shown);
    this.entityTag = `"${shown.version}-${hash('sha256', this.json, 'base64url').slice(0, 16)}"`;
  }

  /** @param more members that belong only to this response. */
  toResponse(reply: Pick<FastifyReply, 'header'>, more: object): string {
    void reply.header('content-type', JSON_TYPE);
    return `${this.json.slice(0, -1)},${JSON.stringify(more).slice(1)}`;
  }
}
