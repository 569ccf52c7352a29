import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { recordTagOf } from '../../http/headers/entity-tags.js';
import { type Resolver, urisOf } from '@mintmark/identifier';
import { type IdentifierRecord, identifierOf, serializeRecord } from '../../registry/identifier-record.js';
import type { IdentifierDto } from './identifier.dto.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/setting-tokens.js';

@Injectable()
export class IdentifierPresenter {
  constructor(@Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver) {}

  show(record: IdentifierRecord): IdentifierDto {
    return serializeRecord(record, urisOf(identifierOf(record), { resolver: record.resolver ?? this.resolver }));
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Serializes a representation once, for its entity tag and its response. */
export class SerializedIdentifier {
  private readonly json: string;
  readonly entityTag: string;

  constructor(shown: IdentifierDto) {
    this.json = JSON.stringify(shown);
    this.entityTag = recordTagOf(shown, this.json);
  }

  /** @param more members that belong only to this response; null for none. */
  toResponse(reply: Pick<FastifyReply, 'header'>, more: object | null): string {
    void reply.header('content-type', JSON_TYPE);
    if (more === null) return this.json;
    // Serializing the representation again with these members would take 9.5 µs instead of 2.6 µs. The difference is 7 % of a mint.
    return `${this.json.slice(0, -1)},${JSON.stringify(more).slice(1)}`;
  }
}
