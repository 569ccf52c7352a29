import { Injectable } from '@nestjs/common';
import type { Principal, RequestContext } from '../access/principal.js';
import { namingAuthorityKey, parentNamingAuthority } from '@mintmark/identifier';
import { Problem } from '../problem/problem.js';
import { type NamingAuthority, type NamingAuthoritySettings, requirePrefix } from '../registry/naming-authority.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../storage/idempotency.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { NamingAuthorityCounts } from '../storage/naming-authorities/naming-authority-counts.js';
import { NamingAuthorityReader } from '../storage/naming-authorities/naming-authority-reader.js';
import {
  NamesStoredByOtherRule,
  NamingAuthorityInUse,
  NamingAuthorityWriter,
} from '../storage/naming-authorities/naming-authority-writer.js';
import type { Queryable } from '../storage/transactions.js';
import { type DescribedNamingAuthority, describeNamingAuthority, redactFamily } from './described-naming-authority.js';
import {
  type CreateNamingAuthorityCommand,
  type NewSettings,
  RULES,
  parseNewNamingAuthority,
  parseSettings,
  requireNoSegment,
  requireReadableUrls,
  requireRules,
} from './naming-authority-command.js';

export interface ChangeNamingAuthorityCommand {
  /** Compared without regard to the case of ASCII letters. */
  readonly prefix: string;
  readonly pointer: string;
  readonly settings: NewSettings;
  /** What `requireCurrent` requires, as the request states it. A repeat with another precondition is another request. */
  readonly precondition: unknown;
  /** Throws if the naming authority has changed since the client read it. @param describe reads it as the principal sees it. */
  readonly requireCurrent: (
    current: NamingAuthority,
    describe: () => Promise<DescribedNamingAuthority>,
  ) => Promise<void>;
}

@Injectable()
export class NamingAuthoritiesService {
  constructor(
    private readonly reader: NamingAuthorityReader,
    private readonly counts: NamingAuthorityCounts,
    private readonly writer: NamingAuthorityWriter,
    private readonly requests: IdempotentRequests,
    private readonly namingAuthorities: NamingAuthorityCache,
  ) {}

  /** Returns one page, in byte order of the prefixes. @param after the last prefix of the previous page; null for the first page. */
  async page(principal: Principal, limit: number, after: string | null) {
    const found = await this.reader.page(limit + 1, after, await this.visiblePrefixes(principal));
    const families = found.slice(0, limit).map((family) => redactFamily(principal, family));
    const counts = await this.counts.count(families.map(({ namingAuthority }) => namingAuthority.prefix));
    const items = families.map((family, index) => describeNamingAuthority(family, counts[index]));
    return { items, hasNext: found.length > limit };
  }

  /** Finds a naming authority, case-insensitively. @throws Problem NAMING_AUTHORITY_NOT_FOUND, also for a hidden one, or a syntax code. */
  async find(prefix: string, principal: Principal, pointer: string): Promise<DescribedNamingAuthority> {
    requirePrefix(prefix, pointer);
    if (!principal.canSee(prefix)) throw notFound(prefix);
    return this.describe(prefix, principal);
  }

  /**
   * @throws Problem NAMING_AUTHORITY_TAKEN, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, PARENT_NOT_FOUND, READ_ONLY_MEMBER, IDEMPOTENCY_KEY_REUSED,
   * REQUEST_IN_FLIGHT, and as `parseNewNamingAuthority`, `requireNoSegment` and `requireReadableUrls` do.
   */
  async create(
    { principal, idempotencyKey }: RequestContext,
    command: CreateNamingAuthorityCommand,
  ): Promise<Replayable<DescribedNamingAuthority>> {
    const requested = parseNewNamingAuthority(command);
    const { prefix } = requested;
    principal.require('admin', prefix, '/namingAuthority');
    const content = { ...requested, prefix: namingAuthorityKey(prefix), does: 'create naming authority' };
    const request = keyedRequest(principal, idempotencyKey, content);
    const known = await this.namingAuthorities.refresh();
    const { result, replayed } = await this.requests.run(request, async (transaction) => {
      requireNoSegment(prefix, known);
      requireReadableUrls(requested.resolver, prefix, principal.viewOf(known));
      const created = await this.writer.create(transaction, principal, requested).catch(withProblemOfRule);
      if (created === null) {
        const existing = await this.reader.find(prefix, transaction);
        throw exists(existing?.namingAuthority.prefix ?? prefix);
      }
      await this.requireParent(prefix, principal, transaction);
      return this.describe(prefix, principal, transaction);
    });
    // An error of the refresh does not fail the request.
    await this.namingAuthorities.refresh().catch(() => null);
    // The first request might have used another API key of the same client, with access to more records.
    return { result: redactFamily(principal, result), replayed };
  }

  /**
   * @throws Problem NAMING_AUTHORITY_NOT_FOUND, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, READ_ONLY_MEMBER,
   * IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT, and as `parseSettings`, `requireRules` and `requireReadableUrls` do.
   */
  async change(
    { principal, idempotencyKey }: RequestContext,
    { prefix, pointer, settings, precondition, requireCurrent }: ChangeNamingAuthorityCommand,
  ): Promise<Replayable<DescribedNamingAuthority>> {
    requirePrefix(prefix, pointer);
    if (!principal.canSee(prefix)) throw notFound(prefix);
    principal.require('admin', prefix, pointer);
    const changes = parseSettings(settings);
    const content = { does: 'change naming authority', prefix: namingAuthorityKey(prefix), precondition, ...changes };
    const request = keyedRequest(principal, idempotencyKey, content);
    const known = await this.namingAuthorities.refresh();
    const { result, replayed } = await this.requests.run(request, async (transaction) => {
      const locked = await this.writer.lock(transaction, prefix);
      if (locked === null) throw notFound(prefix);
      await requireCurrent(locked.namingAuthority, () => this.describe(prefix, principal, transaction));
      requireRules(locked.namingAuthority.prefix, { ...locked.namingAuthority, ...changes });
      requireReadableUrls(changes.resolver ?? null, prefix, principal.viewOf(known));
      try {
        await this.writer.change(transaction, principal, locked, changes);
      } catch (error) {
        if (error instanceof NamingAuthorityInUse) throw rulesKept(locked.namingAuthority, changes);
        return withProblemOfRule(error);
      }
      return this.describe(prefix, principal, transaction);
    });
    await this.namingAuthorities.refresh().catch(() => null);
    return { result: redactFamily(principal, result), replayed };
  }

  /** Applies HS-07 to prefixes derived from a registered, visible prefix. Others, such as 20.500.12345, can have a parent elsewhere. */
  private async requireParent(prefix: string, principal: Principal, from: Queryable): Promise<void> {
    const ancestors = ancestorsOf(prefix).filter((ancestor) => principal.canSee(ancestor));
    const [parent] = ancestorsOf(prefix);
    if (parent === undefined || ancestors.length === 0) return;
    const registered = (await this.reader.existing(ancestors, from)).map(namingAuthorityKey);
    if (registered.length > 0 && !registered.includes(namingAuthorityKey(parent))) throw orphan(prefix, parent);
  }

  private async visiblePrefixes(principal: Principal): Promise<string[] | null> {
    if (!principal.hasRestrictedView) return null;
    const known = principal.viewOf(await this.namingAuthorities.current());
    return known.all().map(({ prefix }) => prefix);
  }

  private async describe(prefix: string, principal: Principal, from?: Queryable): Promise<DescribedNamingAuthority> {
    const family = await this.reader.find(prefix, from);
    if (family === null) throw notFound(prefix);
    const [counts] = await this.counts.count([family.namingAuthority.prefix], from);
    return describeNamingAuthority(redactFamily(principal, family), counts);
  }
}

function notFound(prefix: string): Problem {
  return new Problem('NAMING_AUTHORITY_NOT_FOUND', `The naming authority "${prefix}" does not exist.`);
}

/** @param prefix spelled as it was created. */
function exists(prefix: string): Problem {
  return new Problem('NAMING_AUTHORITY_TAKEN', `The naming authority "${prefix}" already exists.`, {
    errors: [{ pointer: '/namingAuthority', detail: `already exists as "${prefix}"` }],
    members: { existing: pathOfNamingAuthority(prefix) },
  });
}

/** The path of a naming authority in the REST API. */
export function pathOfNamingAuthority(prefix: string): string {
  return `/naming-authorities/${encodeURIComponent(prefix)}`;
}

function ancestorsOf(prefix: string): string[] {
  const parent = parentNamingAuthority(prefix);
  return parent === null ? [] : [parent, ...ancestorsOf(parent)];
}

function rulesKept(current: NamingAuthority, changes: Partial<NamingAuthoritySettings>): Problem {
  const detail =
    'cannot be changed, because existing names depend on it: the naming authority has identifiers or users of API keys, or alternate identifiers claim its names';
  const errors = RULES.filter((rule) => changes[rule] !== undefined && changes[rule] !== current[rule]).map((rule) => ({
    pointer: `/${rule}`,
    detail,
  }));
  return new Problem('READ_ONLY_MEMBER', `${errors.map(({ pointer }) => pointer).join(', ')} ${detail}.`, { errors });
}

function withProblemOfRule(error: unknown): never {
  if (!(error instanceof NamesStoredByOtherRule)) throw error;
  const { member, detail } = error;
  throw new Problem('READ_ONLY_MEMBER', `${member} ${detail}.`, { errors: [{ pointer: `/${member}`, detail }] });
}

function orphan(prefix: string, parent: string): Problem {
  const detail = `the parent "${parent}" of "${prefix}" does not exist, although a prefix above it is registered here (HS-07); create the parent first`;
  return new Problem('PARENT_NOT_FOUND', detail, { errors: [{ pointer: '/namingAuthority', detail }] });
}
