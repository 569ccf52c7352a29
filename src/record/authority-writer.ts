import { Injectable } from '@nestjs/common';
import { type Actor, SERVICE, appendChanges, creation, difference, lockAuthorityForChange } from './change-log.js';
import type { AuthoritySettings, NamingAuthority } from './naming-authority.js';
import { isCaseInsensitiveByRule } from './naming-authority.js';
import { NamingAuthorities, authorityOf } from './naming-authorities.js';
import { type Queryable, Transactions } from './transactions.js';

/** A naming authority to be created. */
export type NewAuthority = Omit<NamingAuthority, 'version' | 'createdAt' | 'updatedAt'>;

const COLUMNS = `prefix, status, profile, case_insensitive AS "caseInsensitive", uuid_version AS "uuidVersion",
  target_template AS "targetTemplate", resolver_scheme AS "resolverScheme", resolver_authority AS "resolverAuthority",
  resolver_first_segment AS "resolverFirstSegment", version, created_at AS "createdAt", updated_at AS "updatedAt"`;

const INSERT = `
  INSERT INTO naming_authority (prefix, status, profile, case_insensitive, uuid_version, target_template,
                                resolver_scheme, resolver_authority, resolver_first_segment)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`;

const UPDATE = `
  UPDATE naming_authority SET status = $2, uuid_version = $3, target_template = $4, resolver_scheme = $5,
    resolver_authority = $6, resolver_first_segment = $7, version = version + 1,
    updated_at = greatest(CURRENT_TIMESTAMP, updated_at + interval '1 millisecond')
  WHERE prefix = $1 RETURNING ${COLUMNS}`;

type Row = Parameters<typeof authorityOf>[0];

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
    const { rows } = await transaction.query<Row>(INSERT, [
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
   * @param decide is asked with the naming authority as it is now, while nobody else can change it.
   * @returns null when there is none with this prefix.
   */
  async change(
    transaction: Queryable,
    actor: Actor,
    prefix: string,
    decide: (authority: NamingAuthority) => AuthoritySettings,
  ): Promise<NamingAuthority | null> {
    await lockAuthorityForChange(transaction, prefix);
    const found = await transaction.query<Row>(`SELECT ${COLUMNS} FROM naming_authority WHERE prefix = $1`, [prefix]);
    if (found.rows[0] === undefined) return null;
    const before = authorityOf(found.rows[0]);
    const after = { ...before, ...decide(before) };
    const { rows } = await transaction.query<Row>(UPDATE, [prefix, after.status, ...settingsOf(after)]);
    await appendChanges(transaction, actor, [
      {
        namingAuthority: prefix,
        identifierId: null,
        version: before.version + 1,
        kind: 'changed',
        patch: difference(authorityDocument(before), authorityDocument(after)),
      },
    ]);
    return rows[0] === undefined ? null : authorityOf(rows[0]);
  }

  /** Lets everything that comes after a committed change know of it. */
  async publish(): Promise<void> {
    await this.authorities.refresh();
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
