import { Injectable } from '@nestjs/common';
import { namingAuthorityKey } from '../identifier/index.js';
import { type Actor, SERVICE, appendChanges, creation, difference, lockAuthorityForChange } from './change-log.js';
import { AUTHORITY_COLUMNS_SQL, type AuthorityRow, authorityKeySql, authorityOf } from './authority-rows.js';
import { type AuthoritySettings, type NamingAuthority, isCaseInsensitiveByRule } from './naming-authority.js';
import { NamingAuthorities } from './naming-authorities.js';
import { type Queryable, Transactions } from './transactions.js';

/** A naming authority to be created. */
export type NewAuthority = Omit<NamingAuthority, 'version' | 'createdAt' | 'updatedAt'>;

const INSERT = `
  INSERT INTO naming_authority AS n (prefix, status, profile, case_insensitive, uuid_version, target_template,
                                resolver_scheme, resolver_authority, resolver_first_segment)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING ${AUTHORITY_COLUMNS_SQL}`;

const UPDATE = `
  UPDATE naming_authority n SET status = $2, uuid_version = $3, target_template = $4, resolver_scheme = $5,
    resolver_authority = $6, resolver_first_segment = $7, version = version + 1,
    updated_at = greatest(CURRENT_TIMESTAMP, updated_at + interval '1 millisecond')
  WHERE prefix = $1 RETURNING ${AUTHORITY_COLUMNS_SQL}`;

const FIND = `SELECT ${AUTHORITY_COLUMNS_SQL} FROM naming_authority n WHERE ${authorityKeySql('n.prefix')} = $1`;

/** Creates and changes naming authorities, each change with its entry in the history. */
@Injectable()
export class AuthorityWriter {
  constructor(
    private readonly transactions: Transactions,
    private readonly authorities: NamingAuthorities,
  ) {}

  /** Makes the configured naming authorities exist. One that exists already is left as it is, suspended or not. */
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

  /** @returns null when it exists already, in any case of its letters. */
  async create(transaction: Queryable, actor: Actor, authority: NewAuthority): Promise<NamingAuthority | null> {
    const { prefix, profile, caseInsensitive } = authority;
    const { rows } = await transaction.query<AuthorityRow>(INSERT, [
      prefix,
      authority.status,
      profile,
      caseInsensitive,
      ...settingsOf(authority),
    ]);
    const [row] = rows;
    if (row === undefined) return null;
    await appendChanges(transaction, actor, [
      {
        namingAuthority: prefix,
        identifierId: null,
        version: 1,
        kind: 'created',
        patch: creation(authorityDocument(authority)),
      },
    ]);
    return authorityOf(row);
  }

  /**
   * Changes a naming authority in a transaction of its caller that has written nothing yet.
   * @param prefix in any case of its ASCII letters.
   * @param decide is asked with the naming authority as it is now, while nobody else can change it.
   * @returns null when there is none with this prefix; the same version where nothing changes.
   */
  async change(
    transaction: Queryable,
    actor: Actor,
    prefix: string,
    decide: (authority: NamingAuthority) => AuthoritySettings,
  ): Promise<NamingAuthority | null> {
    const key = namingAuthorityKey(prefix);
    await lockAuthorityForChange(transaction, key);
    const found = await transaction.query<AuthorityRow>(FIND, [key]);
    if (found.rows[0] === undefined) return null;
    const before = authorityOf(found.rows[0]);
    const after = { ...before, ...decide(before) };
    const patch = difference(authorityDocument(before), authorityDocument(after));
    if (patch.length === 0) return before;
    const { rows } = await transaction.query<AuthorityRow>(UPDATE, [before.prefix, after.status, ...settingsOf(after)]);
    await appendChanges(transaction, actor, [
      {
        namingAuthority: before.prefix,
        identifierId: null,
        version: before.version + 1,
        kind: 'changed',
        patch,
      },
    ]);
    return rows[0] === undefined ? null : authorityOf(rows[0]);
  }

  /** Lets everything that comes after a committed change know of it. What is committed is not refused any more. */
  async publish(): Promise<void> {
    await this.authorities.refresh().catch(() => null);
  }
}

/** The document of a naming authority that its history patches. */
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
