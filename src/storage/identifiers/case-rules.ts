import { namingAuthorityKey } from '@mintmark/identifier';
import { conflictInProgress } from '../../problem/storage-problems.js';
import type { AlternateName } from '../../registry/alternate-name.js';
import { type CanonicalName, nameInCanonical } from '../../registry/canonical-name.js';
import { MAX_PREFIX_BYTES } from '../../registry/naming-authority.js';
import { arrayOf, prepared } from '../statement.js';
import type { Queryable } from '../transactions.js';

/** A name that will be stored with its key. */
export type StoredName = Pick<CanonicalName, 'canonical' | 'keyFoldsCase'> & Pick<AlternateName, 'here'>;

/** The names of an item that will be stored. */
export interface StoredNames {
  readonly metadata?: StoredName | null;
  readonly alternates?: readonly StoredName[];
  readonly previousVersion?: StoredName | null | undefined;
}

/**
 * Fixes rules (see the migration). $1: keys of prefixes; $2: whether case is ignored. A rule is lasting if another transaction that fixed it
 * was committed before the statement, whose snapshot does not have the rows that the function inserts.
 */
const FIX = `
  SELECT f.place IS NOT NULL AS is_other, (
           SELECT c.case_insensitive FROM case_rule c
           WHERE c.prefix = w.prefix AND c.fixed_by IS DISTINCT FROM pg_current_xact_id_if_assigned()::text::bigint LIMIT 1
         ) IS NOT NULL AS is_lasting
  FROM unnest($1::text[], $2::boolean[]) WITH ORDINALITY AS w(prefix, rule, n)
  LEFT JOIN fix_case_rules($1::text[], $2::boolean[]) AS f(place) ON f.place = w.n
  ORDER BY w.n`;

/** Maximum rules that are remembered for a session. */
const MAX_KNOWN = 1000;

/** Lasting rules, for each session, because the server of another session may have lost the last ones in a failover. */
const lasting = new WeakMap<Queryable, Set<string>>();

const SMALL_LETTER = /[a-z]/;

/**
 * The rule of case by which the key of a name, or of the local name that it claims, was made. The text has whether case is ignored, a
 * space, and the part of the name before the first "/". Null if the rule makes no difference.
 */
export function caseRuleOf({ canonical, keyFoldsCase, here }: StoredName): string | null {
  const address = here?.address ?? null;
  const foldsCase = keyFoldsCase ?? (address?.guid === null ? address.foldsCase : null);
  if (foldsCase === null) return null;
  const slash = canonical.indexOf('/');
  return SMALL_LETTER.test(canonical.slice(slash)) ? `${foldsCase} ${canonical.slice(0, slash)}` : null;
}

export function caseRulesOf({ metadata, alternates = [], previousVersion }: StoredNames): string[] {
  const rules: string[] = [];
  const note = (name: StoredName): void => {
    const rule = caseRuleOf(name);
    if (rule !== null) rules.push(rule);
  };
  if (metadata) note(metadata);
  if (previousVersion) note(previousVersion);
  alternates.forEach(note);
  return rules;
}

/**
 * Fixes the rules of case by which names will be stored. After the commit, no naming authority can have the other rule (decision 35).
 * @returns rules that are not those of their prefixes, because the naming authority was created or changed after the name was read.
 */
export async function fixCaseRules(on: Queryable, rules: readonly string[]): Promise<ReadonlySet<string>> {
  const known = lasting.get(on) ?? new Set();
  const fixable = rules
    .filter((rule) => !known.has(rule))
    .map((rule) => ({ rule, prefix: prefixOf(rule.slice(rule.indexOf(' ') + 1)) }))
    // A longer prefix cannot become a naming authority, and an index could not store it.
    .filter(({ prefix }) => Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES);
  if (fixable.length === 0) return new Set();
  const values = [arrayOf(fixable.map(({ prefix }) => prefix)), fixable.map(({ rule }) => rule.startsWith('true '))];
  const { rows } = await on.query<{ is_other: boolean; is_lasting: boolean }>(
    prepared('fix-case-rules', FIX, values, fixable.length),
  );
  if (known.size > MAX_KNOWN) known.clear();
  const others = new Set<string>();
  for (const [index, { rule }] of fixable.entries()) {
    if (rows[index]?.is_other === true) others.add(rule);
    else if (rows[index]?.is_lasting === true) known.add(rule);
  }
  lasting.set(on, known);
  return others;
}

/** Fixes the rules of all names before a transaction writes the first one. A change of rules also locks the rule before `position_gate`. */
export async function fixCaseRulesOf(on: Queryable, items: readonly StoredNames[]): Promise<ReadonlySet<string>> {
  return fixCaseRules(on, [...new Set(items.flatMap(caseRulesOf))]);
}

/** @throws Problem CONFLICT_IN_PROGRESS if a name was read by another rule than that of its prefix. */
export async function requireCaseRules(on: Queryable, items: readonly StoredNames[]): Promise<void> {
  const others = await fixCaseRulesOf(on, items);
  if (others.size > 0) throw conflictInProgress();
}

function prefixOf(start: string): string {
  const name = nameInCanonical(`${start}/x`);
  if (name === null || !('namingAuthority' in name)) throw new TypeError(`${start} does not begin a Handle`);
  return namingAuthorityKey(name.namingAuthority);
}
