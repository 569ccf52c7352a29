import { Injectable } from '@nestjs/common';
import { namingAuthorityKey } from '@mintmark/identifier';
import { appendChange, lockNamingAuthorityForChange } from '../changes/change-log.js';
import { type Actor, SERVICE, creation, difference } from '../../registry/change.js';
import { type NamingAuthorityRow, namingAuthorityOf } from './naming-authority-row.js';
import {
  type NamingAuthoritySettings,
  type NamingAuthority,
  isCaseInsensitiveByRule,
} from '../../registry/naming-authority.js';
import { type Queryable, Transactions } from '../transactions.js';

export type NewNamingAuthority = Omit<NamingAuthority, 'version' | 'createdAt' | 'updatedAt'>;

/** The settings except the resolver, in the order of the parameters of the statements. */
const MEMBERS = [
  ...(['state', 'profile', 'caseInsensitive', 'storesHandleValues', 'sandbox', 'metadataIdScheme'] as const),
  ...(['uuidVersion', 'targetTemplate'] as const),
] as const;

/** $1: the prefix; $2 … $12: `settingsOf`. */
const INSERT = `
  INSERT INTO naming_authority (prefix, state, profile, case_insensitive, stores_handle_values, sandbox, metadata_id_scheme,
                                uuid_version, target_template, resolver_scheme, resolver_authority, resolver_first_segment)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING RETURNING *`;

/** $1: the prefix; $2 … $12: `settingsOf`; $13: the time of the change. */
const UPDATE = `
  UPDATE naming_authority SET state = $2, profile = $3, case_insensitive = $4, stores_handle_values = $5, sandbox = $6,
    metadata_id_scheme = $7, uuid_version = $8, target_template = $9, resolver_scheme = $10, resolver_authority = $11,
    resolver_first_segment = $12, version = version + 1, updated_at = greatest($13, updated_at + interval '1 millisecond')
  WHERE prefix = $1 RETURNING *`;

/** `restrict_violation`: the trigger "naming_authority_rules" rejects the change. */
const RULES_KEPT = '23001';

/** $1: the key of the prefix. */
const FIND = `SELECT * FROM naming_authority WHERE upper(prefix COLLATE "C") = $1`;

/** $1: the key of the prefix; $2: a column; $3: the requested value. Locks the rule until the end of the transaction (see the migration). */
const CAN_HAVE_NAME_RULE = 'SELECT can_have_name_rule($1, $2, $3) AS can';

/** A naming authority that no other transaction can change before this one ends. */
export interface LockedNamingAuthority {
  /** The time of the lock by the database clock. */
  readonly now: Date;
  readonly namingAuthority: NamingAuthority;
}

/** The rules of a naming authority that has names cannot change (decision 35). */
export class NamingAuthorityInUse extends Error {}

type NameRules = Pick<NamingAuthoritySettings, 'profile' | 'caseInsensitive'>;

const AS_NAMES = 'are stored as metadata IDs, alternate identifiers or previous versions';
const DEPENDENT: Readonly<Record<keyof NameRules, string>> = {
  profile: `that are not GUIDs ${AS_NAMES}, and the profile "cordra" does not permit them`,
  caseInsensitive: `with lower-case letters ${AS_NAMES}, and are compared by this value`,
};

/**
 * Stored names under the prefix depend on another value of a setting (decision 35). The detail names no record, because the administrator
 * of one naming authority may not see the records of another one.
 */
export class NamesStoredByOtherRule extends Error {
  readonly detail: string;

  constructor(
    prefix: string,
    readonly member: keyof NameRules,
    value: NameRules[keyof NameRules],
  ) {
    const detail = `must be ${JSON.stringify(value)}: identifiers under this prefix ${DEPENDENT[member]}`;
    super(`${member} of the naming authority "${prefix}" ${detail}.`);
    this.detail = detail;
  }
}

@Injectable()
export class NamingAuthorityWriter {
  constructor(private readonly transactions: Transactions) {}

  /** Creates the configured naming authorities that do not exist. */
  async ensure(
    authorities: readonly Pick<NamingAuthority, 'prefix' | 'profile' | 'metadataIdScheme'>[],
  ): Promise<void> {
    for (const { prefix, profile, metadataIdScheme } of authorities) {
      await this.transactions.run((transaction) =>
        this.create(transaction, SERVICE, {
          prefix,
          profile,
          state: 'active',
          caseInsensitive: isCaseInsensitiveByRule(prefix),
          storesHandleValues: false,
          sandbox: false,
          metadataIdScheme,
          uuidVersion: 4,
          targetTemplate: null,
          resolver: null,
        }),
      );
    }
  }

  /** @returns null if the prefix exists, compared case-insensitively. @throws NamesStoredByOtherRule */
  async create(transaction: Queryable, actor: Actor, requested: NewNamingAuthority): Promise<NamingAuthority | null> {
    const { prefix } = requested;
    const { rows } = await transaction.query<NamingAuthorityRow>(INSERT, [prefix, ...settingsOf(requested)]);
    const [row] = rows;
    if (row === undefined) return null;
    const unknown: NameRules = { profile: 'handle', caseInsensitive: isCaseInsensitiveByRule(prefix) };
    await requireNameRules(transaction, prefix, unknown, requested);
    const created = namingAuthorityOf(row);
    await appendChange(transaction, actor, {
      namingAuthority: prefix,
      version: 1,
      kind: 'created',
      patch: creation(namingAuthorityDocument(requested)),
      at: created.createdAt,
    });
    return created;
  }

  /** Locks a naming authority before any write. @param prefix compared case-insensitively. @returns null if it does not exist. */
  async lock(transaction: Queryable, prefix: string): Promise<LockedNamingAuthority | null> {
    const key = namingAuthorityKey(prefix);
    const now = await lockNamingAuthorityForChange(transaction, key);
    const { rows } = await transaction.query<NamingAuthorityRow>(FIND, [key]);
    return rows[0] === undefined ? null : { now, namingAuthority: namingAuthorityOf(rows[0]) };
  }

  /**
   * Changes a locked naming authority. A change of its rules waits for transactions that write names.
   * @returns the naming authority, without a new version if no setting differs.
   * @throws NamingAuthorityInUse, NamesStoredByOtherRule
   */
  async change(
    transaction: Queryable,
    actor: Actor,
    { now, namingAuthority: before }: LockedNamingAuthority,
    changes: Partial<NamingAuthoritySettings>,
  ): Promise<NamingAuthority> {
    const after = { ...before, ...changes };
    const patch = difference(namingAuthorityDocument(before), namingAuthorityDocument(after));
    if (patch.length === 0) return before;
    // Checked before the update, because an update that changes a rule blocks all writes of names.
    await requireNameRules(transaction, before.prefix, before, after);
    const values = [before.prefix, ...settingsOf(after), now.toISOString()];
    const { rows } = await transaction.query<NamingAuthorityRow>(UPDATE, values).catch((error: unknown) => {
      throw (error as { code?: unknown }).code === RULES_KEPT ? new NamingAuthorityInUse() : error;
    });
    if (rows[0] === undefined) throw new TypeError('a naming authority is never removed');
    const changed = namingAuthorityOf(rows[0]);
    await appendChange(transaction, actor, {
      namingAuthority: before.prefix,
      version: before.version + 1,
      kind: 'changed',
      patch,
      at: changed.updatedAt,
    });
    return changed;
  }
}

/** @param before the rules by which names have been stored. */
async function requireNameRules(on: Queryable, prefix: string, before: NameRules, after: NameRules): Promise<void> {
  const rules = [
    ['profile', 'profile'],
    ['case_insensitive', 'caseInsensitive'],
  ] as const;
  for (const [column, member] of rules) {
    if (after[member] === before[member]) continue;
    const values = [namingAuthorityKey(prefix), column, String(after[member])];
    const { rows } = await on.query<{ can: boolean }>(CAN_HAVE_NAME_RULE, values);
    if (rows[0]?.can !== true) throw new NamesStoredByOtherRule(prefix, member, before[member]);
  }
}

/** The document of a naming authority to which the patches of its history apply. */
function namingAuthorityDocument({ resolver, ...settings }: NewNamingAuthority): object {
  const { scheme, authority, firstSegment } = resolver ?? {};
  const members = Object.fromEntries<unknown>(MEMBERS.map((name) => [name, settings[name]]));
  return { ...members, resolver: resolver && { scheme, authority, firstSegment } };
}

function settingsOf({ resolver, ...settings }: NamingAuthoritySettings): unknown[] {
  const { scheme, authority, firstSegment } = resolver ?? { scheme: null, authority: null, firstSegment: null };
  return [...MEMBERS.map((name) => settings[name]), scheme, authority, firstSegment];
}
