import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { Cursors } from '../../http/validation/cursor.js';
import { type EntityTags, matchesStrongly } from '../../http/headers/entity-tags.js';
import { namingAuthorityKey, parentOf, parseNamingAuthority } from '../../identifier/index.js';
import { Problem, malformed } from '../../problem/problem.js';
import { NamingAuthorityCounts } from '../../storage/naming-authorities/naming-authority-counts.js';
import {
  type AuthorityFamily,
  NamingAuthorityReader,
} from '../../storage/naming-authorities/naming-authority-reader.js';
import { NamingAuthorityWriter } from '../../storage/naming-authorities/naming-authority-writer.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../../storage/idempotency.js';
import type { Queryable } from '../../storage/transactions.js';
import type { PageQueryDto } from '../../http/validation/page-query.dto.js';
import type { UpdateNamingAuthorityDto, CreateNamingAuthorityDto } from './authority-settings.dto.js';
import type { NamingAuthorityDto, NamingAuthorityPageDto } from './naming-authority.dto.js';
import { readChanges, readNewAuthority } from './read-authority.js';
import { authorityPath, settingsTag, showAuthority } from './show-authority.js';

@Injectable()
export class NamingAuthoritiesService {
  constructor(
    private readonly reader: NamingAuthorityReader,
    private readonly counts: NamingAuthorityCounts,
    private readonly writer: NamingAuthorityWriter,
    private readonly outcomes: IdempotentRequests,
    private readonly authorities: NamingAuthorityCache,
    private readonly cursors: Cursors,
  ) {}

  async page({ limit, cursor }: PageQueryDto, principal: Principal): Promise<NamingAuthorityPageDto> {
    // One more than the page size shows whether there is a next page.
    const after = cursor === undefined ? null : this.cursors.read('naming authorities', 0, cursor).text;
    const found = await this.reader.page(limit + 1, after, await this.visiblePrefixes(principal));
    const families = found.slice(0, limit).map((family) => redactFamily(principal, family));
    const counts = await this.counts.count(families.map(({ authority }) => authority.prefix));
    const items = families.flatMap((family, index) => {
      const counted = counts[index];
      return counted === undefined ? [] : [showAuthority(family, counted)];
    });
    const last = items.at(-1);
    return {
      items,
      next:
        found.length > limit && last !== undefined
          ? this.cursors.write('naming authorities', [last.namingAuthority])
          : null,
    };
  }

  /**
   * @param prefix with case-insensitive ASCII letters.
   * @throws Problem NAMING_AUTHORITY_NOT_FOUND, also for a hidden one, or a syntax code.
   */
  async find(prefix: string, principal: Principal): Promise<NamingAuthorityDto> {
    requirePrefix(prefix);
    if (!principal.canSee(prefix)) throw notFound(prefix);
    return this.show(prefix, principal);
  }

  /**
   * @throws Problem NAMING_AUTHORITY_FORBIDDEN, NAMING_AUTHORITY_TAKEN, PARENT_NOT_FOUND, and as `readNewAuthority` and `Outcomes.once` do.
   */
  async create(
    request: CreateNamingAuthorityDto,
    principal: Principal,
    key: string | undefined,
  ): Promise<Replayable<NamingAuthorityDto>> {
    const authority = readNewAuthority(request);
    const { prefix } = authority;
    principal.require('admin', prefix, '/namingAuthority');
    const content = { ...authority, prefix: namingAuthorityKey(prefix), does: 'create naming authority' };
    const settled = await this.outcomes.run(keyedRequest(principal, key, content), async (transaction) => {
      const created = await this.writer.create(transaction, principal, authority);
      if (created === null) throw taken((await this.reader.find(prefix, transaction))?.authority.prefix ?? prefix);
      const parent = parentOf(prefix);
      // A hidden parent is reported as missing.
      const hasParent =
        parent === null || (principal.canSee(parent) && (await this.reader.find(parent, transaction)) !== null);
      if (parent !== null && !hasParent) throw orphan(prefix, parent);
      return this.show(prefix, principal, transaction);
    });
    await this.writer.publish(prefix);
    return shownTo(principal, settled);
  }

  /**
   * @param precondition of `If-Match`.
   * @throws Problem NAMING_AUTHORITY_NOT_FOUND, NAMING_AUTHORITY_FORBIDDEN, PRECONDITION_FAILED, and as `readChanges` and `Outcomes.once` do.
   */
  async change(
    prefix: string,
    request: UpdateNamingAuthorityDto,
    precondition: EntityTags,
    principal: Principal,
    key: string | undefined,
  ): Promise<Replayable<NamingAuthorityDto>> {
    requirePrefix(prefix);
    if (!principal.canSee(prefix)) throw notFound(prefix);
    principal.require('admin', prefix, '#path/namingAuthority');
    const changes = readChanges(request);
    const content = { does: 'change naming authority', prefix: namingAuthorityKey(prefix), ...changes };
    const settled = await this.outcomes.run(keyedRequest(principal, key, content), async (transaction) => {
      const changed = await this.writer.change(transaction, principal, prefix, (authority) => {
        requireCurrent(precondition, settingsTag(authority));
        return { ...authority, ...changes };
      });
      if (changed === null) throw notFound(prefix);
      return this.show(prefix, principal, transaction);
    });
    await this.writer.publish(prefix);
    return shownTo(principal, settled);
  }

  private async visiblePrefixes(principal: Principal): Promise<string[] | null> {
    if (!principal.hasRestrictedView) return null;
    return principal
      .viewOf(await this.authorities.current())
      .all()
      .map(({ prefix }) => prefix);
  }

  private async show(prefix: string, principal: Principal, from?: Queryable): Promise<NamingAuthorityDto> {
    const family = await this.reader.find(prefix, from);
    if (family === null) throw notFound(prefix);
    const [counts] = await this.counts.count([family.authority.prefix], from);
    if (counts === undefined) throw new TypeError('every prefix has counts');
    return showAuthority(redactFamily(principal, family), counts);
  }
}

/** Hidden relatives are removed. */
function redactFamily<T extends Pick<AuthorityFamily, 'parent' | 'children'>>(principal: Principal, shown: T): T {
  const parent = shown.parent !== null && principal.canSee(shown.parent) ? shown.parent : null;
  return { ...shown, parent, children: shown.children.filter((child) => principal.canSee(child)) };
}

/** A replay may come from another key of the same client that can see more. */
function shownTo(
  principal: Principal,
  { result: outcome, replayed }: Replayable<NamingAuthorityDto>,
): Replayable<NamingAuthorityDto> {
  return { result: redactFamily(principal, outcome), replayed };
}

function requirePrefix(text: string): void {
  const read = parseNamingAuthority(text, 'handle');
  if (!read.ok) throw malformed(read.fault, '#path/namingAuthority');
}

function requireCurrent(precondition: EntityTags, current: string): void {
  if (matchesStrongly(precondition, current)) return;
  const detail = `the current entity tag of the settings is ${current}`;
  throw new Problem('PRECONDITION_FAILED', `If-Match does not match: ${detail}.`, {
    errors: [{ pointer: '#header/If-Match', detail }],
    headers: { etag: current },
  });
}

function notFound(prefix: string): Problem {
  return new Problem('NAMING_AUTHORITY_NOT_FOUND', `The naming authority "${prefix}" does not exist.`);
}

function taken(prefix: string): Problem {
  const path = authorityPath(prefix);
  return new Problem('NAMING_AUTHORITY_TAKEN', `The naming authority "${prefix}" already exists.`, {
    errors: [{ pointer: '/namingAuthority', detail: `already exists as "${prefix}"` }],
    members: { existing: path },
    headers: { link: `<${path}>; rel="related"` },
  });
}

function orphan(prefix: string, parent: string): Problem {
  const detail = `the parent "${parent}" of "${prefix}" (HS-07) does not exist; create it first`;
  return new Problem('PARENT_NOT_FOUND', detail, { errors: [{ pointer: '/namingAuthority', detail }] });
}
