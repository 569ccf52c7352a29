import { namingAuthorityKey } from '@mintmark/identifier';
import { conflictInProgress } from '../../problem/storage-problems.js';
import type { AlternateName } from '../../registry/alternate-name.js';
import { type CanonicalName, nameInCanonical } from '../../registry/canonical-name.js';
import { MAX_PREFIX_BYTES } from '../../registry/naming-authority.js';
import { arrayOf, prepared } from '../statement.js';
import type { Queryable } from '../transactions.js';

/** A name that will be stored. */
export type StoredName = Pick<CanonicalName, 'canonical' | 'keyFoldsCase' | 'needsHandle'> &
  Pick<AlternateName, 'here'>;

/** The names of an item that will be stored. */
export interface StoredNames {
  readonly metadata?: StoredName | null;
  readonly alternates?: readonly StoredName[];
  readonly previousVersion?: StoredName | null | undefined;
}

/**
 * Fixes rules (see the migration). $1: keys of prefixes; $2: columns of "naming_authority"; $3: their values. A rule is lasting if a
 * transaction committed before the statement fixed it; the snapshot of the statement lacks the rows that the function inserts.
 */
const FIX = `
  SELECT f.place IS NOT NULL AS is_other, EXISTS (
           SELECT FROM name_rule r WHERE r.prefix = w.prefix AND r.setting = w.setting
             AND r.fixed_by IS DISTINCT FROM pg_current_xact_id_if_assigned()::text::bigint
         ) AS is_lasting
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w(prefix, setting, value, n)
  LEFT JOIN fix_name_rules($1::text[], $2::text[], $3::text[]) AS f(place) ON f.place = w.n
  ORDER BY w.n`;

/** Maximum number of rules that are remembered for a session. */
const MAX_KNOWN = 1000;

/** Lasting rules, for each session, because the server of another session may have lost the last ones in a failover. */
const lasting = new WeakMap<Queryable, Set<string>>();

const SMALL_LETTER = /[a-z]/;

/** The start of a Handle whose naming authority can have the profile "cordra" (CID-09). */
const CORDRA_START = /^hdl:[0-9]+(?:\.[0-9]+)*$/;

/**
 * The rules of a naming authority on which a name depends, as `column value start`, where the start is the part of the name before the
 * first "/". They are the profile, and whether case is ignored in the key of the name or of the local name that it claims.
 */
export function rulesOf({ canonical, keyFoldsCase, needsHandle, here }: StoredName): string[] {
  const address = here?.address ?? null;
  const foldsCase = keyFoldsCase ?? (address?.guid === null ? address.foldsCase : null);
  if (foldsCase === null && !needsHandle) return [];
  const slash = canonical.indexOf('/');
  const start = canonical.slice(0, slash);
  const rules: string[] = [];
  if (foldsCase !== null && SMALL_LETTER.test(canonical.slice(slash)))
    rules.push(`case_insensitive ${foldsCase} ${start}`);
  if (needsHandle && CORDRA_START.test(start)) rules.push(`profile handle ${start}`);
  return rules;
}

export function allRulesOf({ metadata, alternates = [], previousVersion }: StoredNames): string[] {
  return [metadata ?? [], previousVersion ?? [], alternates].flat().flatMap(rulesOf);
}

/**
 * Fixes the rules by which names will be stored. After the commit, no naming authority can have other rules (decision 35).
 * @returns the rules that differ from those of their prefixes, because the naming authority was created or changed after the name was read.
 */
export async function fixNameRules(on: Queryable, rules: readonly string[]): Promise<ReadonlySet<string>> {
  const known = lasting.get(on) ?? new Set();
  const fixable = rules
    .filter((rule) => !known.has(rule))
    .map((rule) => {
      const [setting = '', value = '', start = ''] = rule.split(' ');
      return { rule, setting, value, prefix: prefixOf(start) };
    })
    // A longer prefix cannot become a naming authority, and an index could not store it.
    .filter(({ prefix }) => Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES);
  if (fixable.length === 0) return new Set();
  const values = [
    arrayOf(fixable.map(({ prefix }) => prefix)),
    arrayOf(fixable.map(({ setting }) => setting)),
    arrayOf(fixable.map(({ value }) => value)),
  ];
  const { rows } = await on.query<{ is_other: boolean; is_lasting: boolean }>(
    prepared('fix-name-rules', FIX, values, fixable.length),
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

/** Fixes the rules of all names before a transaction writes a name. A change of rules likewise locks the rules before `position_gate`. */
export async function fixNameRulesOf(on: Queryable, items: readonly StoredNames[]): Promise<ReadonlySet<string>> {
  return fixNameRules(on, [...new Set(items.flatMap(allRulesOf))]);
}

/** @throws Problem CONFLICT_IN_PROGRESS if a name was read under other rules than those of its prefix. */
export async function requireNameRules(on: Queryable, items: readonly StoredNames[]): Promise<void> {
  const others = await fixNameRulesOf(on, items);
  if (others.size > 0) throw conflictInProgress();
}

function prefixOf(start: string): string {
  const name = nameInCanonical(`${start}/x`);
  if (name === null || !('namingAuthority' in name)) throw new TypeError(`${start} does not begin a Handle`);
  return namingAuthorityKey(name.namingAuthority);
}
