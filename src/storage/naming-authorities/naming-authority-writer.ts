import { Injectable } from '@nestjs/common';
import { namingAuthorityKey } from '../../identifier/index.js';
import { appendChanges, lockAuthorityForChange } from '../changes/change-log.js';
import { difference } from '../../registry/change.js';
import { creation } from '../../registry/change.js';
import { SERVICE } from '../../registry/change.js';
import { type Actor } from '../../registry/change.js';
import {
  AUTHORITY_COLUMNS_SQL,
  type NamingAuthorityRow,
  authorityKeySql,
  namingAuthorityOf,
} from './naming-authority-row.js';
import {
  type AuthoritySettings,
  type NamingAuthority,
  isCaseInsensitiveByRule,
} from '../../registry/naming-authority.js';
import { NamingAuthorityCache } from './naming-authority-cache.js';
import { type Queryable, Transactions } from '../transactions.js';

export type NewAuthority = Omit<NamingAuthority, 'version' | 'createdAt' | 'updatedAt'>;

const INSERT = `
  INSERT INTO naming_authority AS n (prefix, status, profile, case_insensitive, uuid_version, target_template,
                                resolver_scheme, resolver_authority, resolver_first_segment)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING ${AUTHORITY_COLUMNS_SQL}`;

const UPDATE = `
  UPDATE naming_authority n SET status = $2, uuid_version = $3, target_template = $4, resolver_scheme = $5,
    resolver_authority = $6, resolver_first_segment = $7, version = version + 1,
    updated_at = greatest($8, updated_at + interval '1 millisecond')
  WHERE prefix = $1 RETURNING ${AUTHORITY_COLUMNS_SQL}`;

const FIND = `SELECT ${AUTHORITY_COLUMNS_SQL} FROM naming_authority n WHERE ${authorityKeySql('n.prefix')} = $1`;

@Injectable()
export class NamingAuthorityWriter {
  constructor(
    private readonly transactions: Transactions,
    private readonly authorities: NamingAuthorityCache,
  ) {}

  /** Creates the configured naming authorities that do not exist. */
  async ensure(prefixes: readonly string[]): Promise<void> {
    for (const prefix of prefixes) {
      await this.transactions.run((transaction) =>
        this.create(transaction, SERVICE, {
          prefix,
          status: 'active',
          profile: 'cordra',
          caseInsensitive: isCaseInsensitiveByRule(prefix),
          uuidVersion: 4,
          targetTemplate: null,
          resolver: null,
        }),
      );
    }
  }

  /** @returns null when it exists, in any case of its letters. */
  async create(transaction: Queryable, actor: Actor, authority: NewAuthority): Promise<NamingAuthority | null> {
    const { prefix, profile, caseInsensitive } = authority;
    const { rows } = await transaction.query<NamingAuthorityRow>(INSERT, [
      prefix,
      authority.status,
      profile,
      caseInsensitive,
      ...settingsOf(authority),
    ]);
    const [row] = rows;
    if (row === undefined) return null;
    const created = namingAuthorityOf(row);
    await appendChanges(transaction, actor, [
      {
        namingAuthority: prefix,
        identifierId: null,
        version: 1,
        kind: 'created',
        patch: creation(authorityDocument(authority)),
        at: created.createdAt,
      },
    ]);
    return created;
  }

  /**
   * Changes a naming authority in a transaction of the caller that has written nothing yet.
   * @param decide returns the change of the locked naming authority.
   * @returns null when it does not exist; the same version without a change.
   */
  async change(
    transaction: Queryable,
    actor: Actor,
    prefix: string,
    decide: (authority: NamingAuthority) => AuthoritySettings,
  ): Promise<NamingAuthority | null> {
    const key = namingAuthorityKey(prefix);
    const now = await lockAuthorityForChange(transaction, key);
    const found = await transaction.query<NamingAuthorityRow>(FIND, [key]);
    if (found.rows[0] === undefined) return null;
    const before = namingAuthorityOf(found.rows[0]);
    const after = { ...before, ...decide(before) };
    const patch = difference(authorityDocument(before), authorityDocument(after));
    if (patch.length === 0) return before;
    const values = [before.prefix, after.status, ...settingsOf(after), now.toISOString()];
    const { rows } = await transaction.query<NamingAuthorityRow>(UPDATE, values);
    if (rows[0] === undefined) throw new TypeError('a naming authority is never removed');
    const changed = namingAuthorityOf(rows[0]);
    await appendChanges(transaction, actor, [
      {
        namingAuthority: before.prefix,
        identifierId: null,
        version: before.version + 1,
        kind: 'changed',
        patch,
        at: changed.updatedAt,
      },
    ]);
    return changed;
  }

  /** Refreshes the cache after a commit. Errors do not fail the request. */
  async publish(prefix: string): Promise<void> {
    await this.authorities.refresh([prefix]).catch(() => null);
  }
}

export function authorityDocument(authority: NewAuthority): object {
  const { status, profile, caseInsensitive, uuidVersion, targetTemplate, resolver } = authority;
  const shown =
    resolver === null
      ? null
      : { scheme: resolver.scheme, authority: resolver.authority, firstSegment: resolver.firstSegment };
  return { status, profile, caseInsensitive, uuidVersion, targetTemplate, resolver: shown };
}

function settingsOf({ uuidVersion, targetTemplate, resolver }: AuthoritySettings): unknown[] {
  return [
    uuidVersion,
    targetTemplate,
    resolver?.scheme ?? null,
    resolver?.authority ?? null,
    resolver?.firstSegment ?? null,
  ];
}
