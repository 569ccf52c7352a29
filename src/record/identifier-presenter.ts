import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Resolver, urisOf } from '../identifier/index.js';
import { IdentifierReader } from './identifier-reader.js';
import { type IdentifierRecord, identifierOf } from './identifier-record.js';
import type { IdentifierDto } from './identifier.dto.js';
import { RESOLVER } from './rendering.module.js';

/** Shows records to clients. */
@Injectable()
export class IdentifierPresenter {
  constructor(
    private readonly reader: IdentifierReader,
    @Inject(RESOLVER) private readonly resolver: Resolver,
  ) {}

  /** @returns the representations in the records' order. */
  async showAll(records: readonly IdentifierRecord[]): Promise<IdentifierDto[]> {
    const described = await this.reader.findDescribedBy(records);
    return records.map((record) => this.render(record, described.get(record) ?? []));
  }

  async show(record: IdentifierRecord): Promise<IdentifierDto> {
    return this.render(record, (await this.reader.findDescribedBy([record])).get(record) ?? []);
  }

  /** The representation of a record whose `describes` is known already; it cannot fail. */
  render(record: IdentifierRecord, describes: readonly string[]): IdentifierDto {
    const { namingAuthority, guid, metadataId, target, state, alternateIds, version, createdAt, updatedAt } = record;
    return {
      identifier: `${namingAuthority}/${guid}`,
      namingAuthority,
      guid,
      localName: guid,
      metadataId,
      describes: [...describes],
      target,
      state,
      alternateIds: [...alternateIds],
      version,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      leaseUntil: null,
      tombstone: null,
      uris: urisOf(identifierOf(record), this.resolver),
    };
  }
}

/** The path under which an identifier is served. */
export function locationOf({ identifier }: Pick<IdentifierDto, 'identifier'>): string {
  return `/identifiers/${identifier}`;
}

/**
 * A strong entity tag (RFC 9110 8.8.3): the version, for people, and a digest of the whole representation, because
 * `describes` changes with other records and `uris` with the configuration.
 */
export function entityTag(shown: IdentifierDto): string {
  const digest = createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
  return `"${shown.version}-${digest}"`;
}
