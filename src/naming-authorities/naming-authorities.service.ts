import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { type EntityTags, matchesStrongly } from '../http/entity-tags.js';
import { namingAuthorityKey, parentOf, parseNamingAuthority } from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import { AuthorityCounts } from '../record/authority-counts.js';
import { type AuthorityFamily, AuthorityReader } from '../record/authority-reader.js';
import { AuthorityWriter } from '../record/authority-writer.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { Outcomes, type Settled, keyedRequest } from '../record/outcomes.js';
import type { Queryable } from '../record/transactions.js';
import { cursorAfter, readCursor } from './authority-cursor.js';
import type { AuthorityPageQueryDto } from './authority-page.dto.js';
import type { ChangeNamingAuthorityDto, CreateNamingAuthorityDto } from './authority-settings.dto.js';
import type { NamingAuthorityDto, NamingAuthorityPageDto } from './naming-authority.dto.js';
import { readChanges, readNewAuthority } from './read-authority.js';
import { authorityPath, settingsTag, showAuthority } from './show-authority.js';

/** Creates, changes and shows naming authorities. */
@Injectable()
export class NamingAuthoritiesService {
  constructor(
    private readonly reader: AuthorityReader,
    private readonly counts: AuthorityCounts,
    private readonly writer: AuthorityWriter,
    private readonly outcomes: Outcomes,
    private readonly authorities: NamingAuthorities,
  ) {}

  /** @throws Problem INVALID_CURSOR */
  async page({ limit, cursor }: AuthorityPageQueryDto, caller: Caller): Promise<NamingAuthorityPageDto> {
    // One more than asked for tells whether there is a next page.
    const after = cursor === undefined ? null : readCursor(cursor);
    const found = await this.reader.page(limit + 1, after, await this.visiblePrefixes(caller));
    const families = found.slice(0, limit).map((family) => visibleTo(caller, family));
    const counts = await this.counts.count(families.map(({ authority }) => authority.prefix));
    const items = families.flatMap((family, index) => {
      const counted = counts[index];
      return counted === undefined ? [] : [showAuthority(family, counted)];
    });
    const last = items.at(-1);
    return {
      items,
      next: found.length > limit && last !== undefined ? cursorAfter(last.namingAuthority) : null,
    };
  }

  /**
   * @param prefix in any case of its ASCII letters.
   * @throws Problem NAMING_AUTHORITY_NOT_FOUND, also for one that is hidden from the caller, or a syntax code when it is no
   * prefix at all.
   */
  async find(prefix: string, caller: Caller): Promise<NamingAuthorityDto> {
    requirePrefix(prefix);
    if (!caller.sees(prefix)) throw notFound(prefix);
    return this.show(prefix, caller);
  }

  /**
   * @throws Problem NAMING_AUTHORITY_FORBIDDEN, NAMING_AUTHORITY_TAKEN, PARENT_NOT_FOUND, and as `readNewAuthority` and `Outcomes.once` do.
   */
  async create(
    request: CreateNamingAuthorityDto,
    caller: Caller,
    key: string | undefined,
  ): Promise<Settled<NamingAuthorityDto>> {
    const authority = readNewAuthority(request);
    const { prefix } = authority;
    caller.require('admin', prefix, '/namingAuthority');
    const meaning = { ...authority, prefix: namingAuthorityKey(prefix), does: 'create naming authority' };
    const settled = await this.outcomes.once(keyedRequest(caller, key, meaning), async (transaction) => {
      const created = await this.writer.create(transaction, caller, authority);
      if (created === null) throw taken((await this.reader.find(prefix, transaction))?.authority.prefix ?? prefix);
      const parent = parentOf(prefix);
      if (parent !== null && (await this.reader.find(parent, transaction)) === null) throw orphan(prefix, parent);
      return this.show(prefix, caller, transaction);
    });
    await this.writer.publish();
    return shownTo(caller, settled);
  }

  /**
   * @param precondition of `If-Match`.
   * @throws Problem NAMING_AUTHORITY_NOT_FOUND, NAMING_AUTHORITY_FORBIDDEN, PRECONDITION_FAILED, and as `readChanges` and `Outcomes.once` do.
   */
  async change(
    prefix: string,
    request: ChangeNamingAuthorityDto,
    precondition: EntityTags,
    caller: Caller,
    key: string | undefined,
  ): Promise<Settled<NamingAuthorityDto>> {
    requirePrefix(prefix);
    if (!caller.sees(prefix)) throw notFound(prefix);
    caller.require('admin', prefix, '#path/namingAuthority');
    const changes = readChanges(request);
    const meaning = { does: 'change naming authority', prefix: namingAuthorityKey(prefix), ...changes };
    const settled = await this.outcomes.once(keyedRequest(caller, key, meaning), async (transaction) => {
      const changed = await this.writer.change(transaction, caller, prefix, (authority) => {
        requireCurrent(precondition, settingsTag(authority));
        return { ...authority, ...changes };
      });
      if (changed === null) throw notFound(prefix);
      return this.show(prefix, caller, transaction);
    });
    await this.writer.publish();
    return shownTo(caller, settled);
  }

  /** Null where the caller sees all of them. */
  private async visiblePrefixes(caller: Caller): Promise<string[] | null> {
    if (!caller.seesPart) return null;
    const all = (await this.authorities.current()).all().map(({ prefix }) => prefix);
    return all.filter((prefix) => caller.sees(prefix));
  }

  private async show(prefix: string, caller: Caller, from?: Queryable): Promise<NamingAuthorityDto> {
    const family = await this.reader.find(prefix, from);
    if (family === null) throw notFound(prefix);
    const [counts] = await this.counts.count([family.authority.prefix], from);
    if (counts === undefined) throw new TypeError('one prefix has one set of counts');
    return showAuthority(visibleTo(caller, family), counts);
  }
}

/** Relatives that are hidden from the caller stay hidden. */
function visibleTo<T extends Pick<AuthorityFamily, 'parent' | 'children'>>(caller: Caller, shown: T): T {
  const parent = shown.parent !== null && caller.sees(shown.parent) ? shown.parent : null;
  return { ...shown, parent, children: shown.children.filter((child) => caller.sees(child)) };
}

/** Another key of the same client, which sees more, may have had this outcome first. */
function shownTo(caller: Caller, { outcome, replayed }: Settled<NamingAuthorityDto>): Settled<NamingAuthorityDto> {
  return { outcome: visibleTo(caller, outcome), replayed };
}

function requirePrefix(text: string): void {
  const read = parseNamingAuthority(text, 'handle');
  if (!read.ok) throw malformed(read.fault, '#path/namingAuthority');
}

function requireCurrent(precondition: EntityTags, current: string): void {
  if (matchesStrongly(precondition, current)) return;
  const detail = `the settings have the entity tag ${current} now`;
  throw new Problem('PRECONDITION_FAILED', `If-Match names an older version: ${detail}.`, {
    errors: [{ pointer: '#header/If-Match', detail }],
    headers: { etag: current },
  });
}

function notFound(prefix: string): Problem {
  return new Problem('NAMING_AUTHORITY_NOT_FOUND', `The naming authority "${prefix}" is not known here.`);
}

function taken(prefix: string): Problem {
  const path = authorityPath(prefix);
  return new Problem('NAMING_AUTHORITY_TAKEN', `The naming authority "${prefix}" exists already.`, {
    errors: [{ pointer: '/namingAuthority', detail: `exists as "${prefix}"` }],
    members: { existing: path },
    headers: { link: `<${path}>; rel="related"` },
  });
}

function orphan(prefix: string, parent: string): Problem {
  const detail = `"${prefix}" lies under "${parent}" (HS-07), which is not known here: create that first`;
  return new Problem('PARENT_NOT_FOUND', detail, { errors: [{ pointer: '/namingAuthority', detail }] });
}
