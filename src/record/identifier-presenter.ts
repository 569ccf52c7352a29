import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Resolver, canonicalUri, toHandle, urisOf } from '../identifier/index.js';
import { type Facts, type IdentifierRecord, identifierOf, nativeText } from './identifier-record.js';
import type { IdentifierDto, TombstoneDto } from './identifier.dto.js';
import { RESOLVER } from './rendering.module.js';

/** Shows records to clients. */
@Injectable()
export class IdentifierPresenter {
  constructor(@Inject(RESOLVER) private readonly resolver: Resolver) {}

  /** The representation of a record. Nothing is read for it, so it cannot fail. */
  show(record: IdentifierRecord): IdentifierDto {
    const { namingAuthority, guid, localName, metadataId, describes } = record;
    // Named one by one: an object spread into another one takes longer than everything else here.
    const { target, state, alternateIds, version, createdAt, updatedAt, leaseUntil, tombstone } = lifeOf(record);
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

/** What is shown of the life of an identifier, its members always in the same order. */
export function lifeOf(record: Facts & Pick<IdentifierRecord, 'version' | 'createdAt' | 'updatedAt'>) {
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

/** What is shown of a withdrawn identifier's end; null for all others. */
export function tombstoneOf({ tombstone }: Pick<IdentifierRecord, 'tombstone'>): TombstoneDto | null {
  return tombstone === null ? null : { ...tombstone, withdrawnAt: tombstone.withdrawnAt.toISOString() };
}

/** As Fastify writes it for what it makes a JSON text of itself. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** A CORDRA identifier, or a Handle that is served the same. */
const PLAIN = /^[0-9.]+\/[0-9A-F]{32}$/;

/** Native texts that recognition reads back as they are: no letters before the "/", no white space at the end. */
const READ_BACK = /^[0-9.]+\/.*\S$/u;

/**
 * The path under which an identifier is served. A local name of 32 digits stays readable behind its raw slash; any other
 * goes as one escaped segment, as a URI where the native text would be taken for something else.
 */
export function locationOf({ identifier }: Pick<IdentifierDto, 'identifier'>): string {
  if (PLAIN.test(identifier)) return `/identifiers/${identifier}`;
  const text = READ_BACK.test(identifier) ? identifier : canonicalUri(toHandle(identifier, 'unicode'));
  return `/identifiers/${encodeURIComponent(text)}`;
}

/**
 * A strong entity tag (RFC 9110 8.8.3): the version, for people, and a digest of the whole representation, because
 * `describes` changes with other records and `uris` with the configuration.
 */
export function entityTag(shown: IdentifierDto): string {
  return new WrittenIdentifier(shown).entityTag;
}

/** A representation written down once, for its entity tag and for the answer: writing it takes longer than making it. */
export class WrittenIdentifier {
  private readonly json: string;
  readonly entityTag: string;

  constructor(shown: IdentifierDto) {
    this.json = JSON.stringify(shown);
    this.entityTag = `"${shown.version}-${hash('sha256', this.json, 'base64url').slice(0, 16)}"`;
  }

  /**
   * Sends it to the client.
   * @param more members that belong to the answer and not to the representation.
   * @returns what the handler returns.
   */
  answer(reply: Pick<FastifyReply, 'header'>, more: object): string {
    void reply.header('content-type', JSON_TYPE);
    return `${this.json.slice(0, -1)},${JSON.stringify(more).slice(1)}`;
  }
}
