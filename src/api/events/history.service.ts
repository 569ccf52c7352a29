import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { parseNamingAuthority } from '../../identifier/index.js';
import { Problem, malformed } from '../../problem/problem.js';
import { type RecordedChange, ChangeReader } from '../../storage/changes/change-reader.js';
import { resolveIdentifier } from '../../registry/resolve-identifier.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import { nativeText } from '../../registry/identifier-record.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { EventCursors } from './event-cursors.js';
import type { PageQueryDto } from '../../http/validation/page-query.dto.js';

/** One page of the history of something. */
export interface History {
  /** The canonical identifier, `NA/local`, or the prefix of the naming authority. */
  readonly of: string;
  readonly changes: readonly RecordedChange[];
  readonly next: string | null;
}

@Injectable()
export class HistoryService {
  constructor(
    private readonly changes: ChangeReader,
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorityCache,
    private readonly cursors: EventCursors,
  ) {}

  /**
   * @param text the identifier in any form; withdrawn ones are included.
   * @throws Problem IDENTIFIER_NOT_FOUND, also for a hidden one, INVALID_CURSOR, or a syntax code.
   */
  async ofIdentifier(text: string, { cursor, limit }: PageQueryDto, principal: Principal): Promise<History> {
    const after = this.cursors.readVersion(cursor);
    const { record } = await this.authorities.lookUp(text, (known) =>
      resolveIdentifier(text, principal.viewOf(known), this.reader),
    );
    return this.pageOf(nativeText(record), limit, await this.changes.ofIdentifier(record.id, after, limit + 1));
  }

  /** @throws Problem NAMING_AUTHORITY_NOT_FOUND, INVALID_CURSOR, or a syntax code. */
  async ofNamingAuthority(text: string, { cursor, limit }: PageQueryDto, principal: Principal): Promise<History> {
    const after = this.cursors.readVersion(cursor);
    const read = parseNamingAuthority(text, 'handle');
    if (!read.ok) throw malformed(read.fault, '#path/namingAuthority');
    const known = (await this.authorities.current()).find(text) ?? (await this.authorities.refresh([text])).find(text);
    if (known === undefined || !principal.canSee(known.prefix)) {
      throw new Problem('NAMING_AUTHORITY_NOT_FOUND', `The naming authority "${text}" does not exist.`);
    }
    return this.pageOf(known.prefix, limit, await this.changes.ofNamingAuthority(known.prefix, after, limit + 1));
  }

  /** @param found one more than the page size where there is a next page. */
  private pageOf(of: string, limit: number, found: readonly RecordedChange[]): History {
    const changes = found.slice(0, limit);
    const last = changes.at(-1);
    const next = found.length > limit && last !== undefined ? this.cursors.afterVersion(last.version) : null;
    return { of, changes, next };
  }
}
