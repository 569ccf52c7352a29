import { namingAuthorityKey } from '@mintmark/identifier';
import { conflictInProgress } from '../../problem/storage-problems.js';
import type { AlternateName } from '../../registry/alternate-name.js';
import { type CanonicalName, nameInCanonical } from '../../registry/canonical-name.js';
import { MAX_PREFIX_BYTES } from '../../registry/naming-authority.js';
import { arrayOf } from '../statement.js';
import type { Queryable } from '../transactions.js';

/** A name that will be stored with its key. */
export type StoredName = Pick<CanonicalName, 'canonical' | 'keyFoldsCase'> & Pick<AlternateName, 'here'>;

/** The names of an item that will be stored. */
export interface StoredNames {
  readonly metadata?: StoredName | null;
  readonly alternates?: readonly StoredName[];
  readonly previousVersion?: StoredName | null | undefined;
}

/** Returns places, from 1, of prefixes that have the other rule (see the migration). $1: keys of prefixes; $2: whether case is ignored. */
const FIX = 'SELECT fix_case_rules($1::text[], $2::boolean[]) AS place';

const SMALL_LETTER = /[a-z]/;

/**
 * The rule of case by which the key of a name, or of the local name that it claims, was made: whether case is ignored, and after a space
 * the start of the text without "/". Null if the rule makes no difference.
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
 * Fixes the rules of case by which names will be stored: from the commit on, no naming authority can have the other rule (decision 35).
 * @returns rules that are not those of their prefixes: the naming authority was created or changed after the name was read.
 */
export async function fixCaseRules(on: Queryable, rules: readonly string[]): Promise<ReadonlySet<string>> {
  const fixable = rules
    .map((rule) => ({ rule, prefix: prefixOf(rule.slice(rule.indexOf(' ') + 1)) }))
    // A longer prefix cannot become a naming authority, and an index could not store it.
    .filter(({ prefix }) => Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES);
  if (fixable.length === 0) return new Set();
  const { rows } = await on.query<{ place: number }>(FIX, [
    arrayOf(fixable.map(({ prefix }) => prefix)),
    fixable.map(({ rule }) => rule.startsWith('true ')),
  ]);
  return new Set(rows.flatMap(({ place }) => fixable[place - 1]?.rule ?? []));
}

/** Fixes the rules of all names before a transaction writes the first one: a change of rules locks the rule first, and then `position_gate`. */
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
