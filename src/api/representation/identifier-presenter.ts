import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { entityTagOf } from '../../http/headers/entity-tags.js';
import { type Resolver, canonicalUri, toHandle, urisOf } from '../../identifier/index.js';
import { type IdentifierRecord, identifierOf, serializeRecord } from '../../registry/identifier-record.js';
import type { IdentifierDto } from './identifier.dto.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/default-resolver.module.js';

@Injectable()
export class IdentifierPresenter {
  constructor(@Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver) {}

  /** The representation of a record, built without further queries. */
  show(record: IdentifierRecord): IdentifierDto {
    return serializeRecord(record, urisOf(identifierOf(record), record.resolver ?? this.resolver));
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** A local name that needs no escape. */
const PLAIN = /^[0-9.]+\/[0-9A-F]{32}$/;

/** Native texts that are recognized unchanged: no letters before the "/" and no trailing white space. */
const READ_BACK = /^[0-9.]+\/.*\S$/u;

/** A GUID as it is, any other local name escaped, as a URI where the native text is ambiguous. */
export function locationOf({ identifier }: Pick<IdentifierDto, 'identifier'>): string {
  if (PLAIN.test(identifier)) return `/identifiers/${identifier}`;
  const text = READ_BACK.test(identifier) ? identifier : canonicalUri(toHandle(identifier, 'unicode'));
  return `/identifiers/${encodeURIComponent(text)}`;
}

/** Longest path in a header: clients and proxies accept 8 or 16 KiB of headers, and the body has the identifier too. */
const MAX_PATH_LENGTH = 7168;

/** `Location`; nothing where the path is too long for a header. */
export function locationHeader(path: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { location: path };
}

/** `Link` with one relation (RFC 8288); nothing where the path is too long for a header. */
export function linkHeader(path: string, rel: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { link: `<${path}>; rel="${rel}"` };
}

/** A representation that is serialized once, for its entity tag and its response. */
export class SerializedIdentifier {
  private readonly json: string;
  readonly entityTag: string;

  constructor(shown: IdentifierDto) {
    this.json = JSON.stringify(shown);
    this.entityTag = entityTagOf(shown.version, this.json);
  }

  /** @param more members that belong only to this response. */
  toResponse(reply: Pick<FastifyReply, 'header'>, more: object): string {
    void reply.header('content-type', JSON_TYPE);
    return `${this.json.slice(0, -1)},${JSON.stringify(more).slice(1)}`;
  }
}
