import { Inject, Injectable } from '@nestjs/common';
import {
  type CordraId,
  type Handle,
  type Resolver,
  formatHandle,
  parseCordraId,
  parseNamingAuthority,
  recognize,
} from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import { RESOLVER } from '../record/rendering.module.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import type { IdentifierRecord } from '../record/identifier-record.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { type StoredName, readStoredName } from '../record/stored-name.js';
import { cursorAfter, readCursor } from './cursor.js';
import type { ListQueryDto } from './list-query.dto.js';

/** Finds registered identifiers by any spelling of them or of what they carry. */
@Injectable()
export class LookupService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorities,
    @Inject(RESOLVER) private readonly resolver: Resolver,
  ) {}

  /**
   * @param text the identifier in any form; a query or fragment on it finds the same record.
   * @returns the record, and the identifier as it was asked for.
   * @throws Problem IDENTIFIER_NOT_FOUND, or a syntax code when it is malformed.
   */
  async find(text: string): Promise<{ record: IdentifierRecord; asked: CordraId }> {
    const read = recognize(text, { resolver: this.resolver });
    if (!read.ok) throw malformed(read.fault, '#path/identifier');
    const { name, normalized } = read.value;
    if (name.type === 'handle') await this.requireForeign(name, text);
    const record = name.type === 'cordra' ? await this.reader.find(name.namingAuthority, name.guid) : null;
    if (record === null || name.type !== 'cordra') {
      throw new Problem(
        'IDENTIFIER_NOT_FOUND',
        `${normalized} is well formed, and nothing is registered under it here.`,
      );
    }
    return { record, asked: name };
  }

  /** Under a naming authority of ours every identifier is a CORDRA identifier, so another Handle there is a slip (CID-10). */
  private async requireForeign(handle: Handle, text: string): Promise<void> {
    const native = formatHandle(handle);
    const strict = parseCordraId(native);
    if (strict.ok || !(await this.authorities.has(handle.namingAuthority))) return;
    // The fault is counted in the native text; where the request spells it otherwise, only its start can be told.
    const start = text.indexOf(native);
    const offset = start < 0 ? 0 : start + strict.fault.offset;
    throw malformed({ ...strict.fault, offset }, '#path/identifier');
  }

  /** @throws Problem INVALID_CURSOR, or a syntax code when an identifier of the query is malformed. */
  async page(query: ListQueryDto): Promise<{ records: IdentifierRecord[]; next: string | null }> {
    const { metadataId, alternateId, namingAuthority, state, target, createdAfter, createdBefore, limit, cursor } =
      query;
    if (namingAuthority !== undefined) {
      const read = parseNamingAuthority(namingAuthority, 'handle');
      if (!read.ok) throw malformed(read.fault, '#query/namingAuthority');
    }
    const filter = {
      metadataKey: this.keyOf(metadataId, '#query/metadataId'),
      alternateKey: this.keyOf(alternateId, '#query/alternateId'),
      namingAuthority,
      state,
      target,
      createdAfter: timeOf(createdAfter, '#query/createdAfter'),
      createdBefore: timeOf(createdBefore, '#query/createdBefore'),
    };
    // One more than asked for tells whether there is a next page.
    const found = await this.reader.page(filter, limit + 1, cursor === undefined ? undefined : readCursor(cursor));
    const records = found.slice(0, limit);
    const last = records.at(-1);
    return { records, next: found.length > limit && last !== undefined ? cursorAfter(last.id) : null };
  }

  private keyOf(text: string | undefined, pointer: string): StoredName['key'] | undefined {
    if (text === undefined) return undefined;
    const read = readStoredName(text, this.resolver);
    if (!read.ok) throw malformed(read.fault, pointer);
    return read.value.key;
  }
}

function timeOf(text: string | undefined, pointer: string): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  // JavaScript takes 31 February for 3 March, and an offset can lead before the year 1, which PostgreSQL does not have.
  const [day = ''] = text.split('T');
  if (new Date(day).toISOString().startsWith(day) && time.getUTCFullYear() >= 1) return time;
  const detail = `"${text}" is not a day of the calendar`;
  throw new Problem('INVALID_REQUEST', detail, { errors: [{ pointer, detail }] });
}
