import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { parseNamingAuthority } from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import { type RecordedChange, ChangeReader } from '../record/change-reader.js';
import { findRegistered } from '../record/find-registered.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import { nativeText } from '../record/identifier-record.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { readVersionCursor, versionCursor } from './cursor.js';
import type { HistoryQueryDto } from './events-query.dto.js';

/** One page of the history of something. */
export interface History {
  /** The identifier, `NA/local`, or the prefix of the naming authority, in the spelling that it has here. */
  readonly of: string;
  readonly changes: readonly RecordedChange[];
  readonly next: string | null;
}

/** What became of one identifier or one naming authority. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly changes: ChangeReader,
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorities,
  ) {}

  /**
   * @param text the identifier in any form; a withdrawn one has its history too.
   * @throws Problem IDENTIFIER_NOT_FOUND, also for what is hidden from the caller, INVALID_CURSOR, or a syntax code when it is malformed.
   */
  async ofIdentifier(text: string, { cursor, limit }: HistoryQueryDto, caller: Caller): Promise<History> {
    const after = readVersionCursor(cursor);
    const { record } = await this.authorities.lookUp((known) =>
      findRegistered(text, known, this.reader, (prefix) => caller.sees(prefix)),
    );
    return pageOf(nativeText(record), limit, await this.changes.ofIdentifier(record.id, after, limit + 1));
  }

  /** @throws Problem NAMING_AUTHORITY_NOT_FOUND, INVALID_CURSOR, or a syntax code when it is malformed. */
  async ofAuthority(text: string, { cursor, limit }: HistoryQueryDto, caller: Caller): Promise<History> {
    const after = readVersionCursor(cursor);
    const read = parseNamingAuthority(text, 'handle');
    if (!read.ok) throw malformed(read.fault, '#path/namingAuthority');
    const known = (await this.authorities.current()).find(text) ?? (await this.authorities.refresh()).find(text);
    if (known === undefined || !caller.sees(known.prefix)) {
      throw new Problem('NAMING_AUTHORITY_NOT_FOUND', `The naming authority "${text}" is not known here.`);
    }
    return pageOf(known.prefix, limit, await this.changes.ofAuthority(known.prefix, after, limit + 1));
  }
}

/** @param found one more than asked for where there is a next page. */
function pageOf(of: string, limit: number, found: readonly RecordedChange[]): History {
  const changes = found.slice(0, limit);
  const last = changes.at(-1);
  return { of, changes, next: found.length > limit && last !== undefined ? versionCursor(last.version) : null };
}
