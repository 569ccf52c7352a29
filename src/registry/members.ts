/**
 * The members of a record that requests give or change, in the order of representations, with their columns. A `text` is stored as it was
 * read, or null; the code of changes, exports, imports, statements and sizes follows this table, so that another text is one line here.
 */
export const MEMBERS = [
  { name: 'metadataId', kind: 'name', columns: ['metadata_id'] },
  { name: 'target', kind: 'text', columns: ['target'], canonical: (text: string): string => text },
  { name: 'language', kind: 'text', columns: ['language'], canonical: canonicalLanguage },
  { name: 'alternateIds', kind: 'name', columns: ['alternate_ids'] },
  { name: 'previousVersion', kind: 'name', columns: ['previous_version'] },
  { name: 'handleValues', kind: 'values', columns: ['handle_values'] },
  { name: 'state', kind: 'lifecycle', columns: ['state'] },
  { name: 'leaseUntil', kind: 'lifecycle', columns: ['lease_until'] },
  {
    name: 'tombstone',
    kind: 'lifecycle',
    columns: ['withdrawn_at', 'withdrawal_reason_code', 'withdrawal_reason', 'replaced_by'],
  },
] as const;

type Member = (typeof MEMBERS)[number];
export type MemberName = Member['name'];
export type TextName = Extract<Member, { readonly kind: 'text' }>['name'];
type TextColumn = Extract<Member, { readonly kind: 'text' }>['columns'][0];

/** The texts of a record; null for one that it does not have. */
export type Texts = Readonly<Record<TextName, string | null>>;

/** The texts that a request has. A member that is absent is not changed. */
export type GivenTexts = Readonly<Partial<Record<TextName, string | null>>>;

export type MemberColumn = Member['columns'][number];

interface Text {
  readonly name: TextName;
  readonly column: TextColumn;
  readonly canonical: (text: string) => string;
}

export const TEXTS: readonly Text[] = MEMBERS.flatMap((member) =>
  member.kind === 'text' ? [{ name: member.name, column: member.columns[0], canonical: member.canonical }] : [],
);

type Writable = Partial<Record<TextName, string | null>>;

export const NO_TEXTS = Object.fromEntries(TEXTS.map(({ name }) => [name, null])) as unknown as Texts;

/** The texts that are given, in their canonical forms and without other members. The DTOs have validated them. */
export function readTexts(values: GivenTexts): GivenTexts {
  const read: Writable = {};
  for (const { name, canonical } of TEXTS) {
    const text = values[name];
    if (text !== undefined) read[name] = text === null ? null : canonical(text);
  }
  return read;
}

/** The texts of a record after a change. */
export function textsAfter(before: Texts, given: GivenTexts): Texts {
  const after: Writable = {};
  for (const { name } of TEXTS) after[name] = given[name] === undefined ? before[name] : given[name];
  return after as Texts;
}

/** Whether a record has all given texts already. */
export function hasTexts(record: Texts, given: GivenTexts): boolean {
  return TEXTS.every(({ name }) => given[name] === undefined || given[name] === record[name]);
}

/** Characters; the database has the same limit. RFC 5646 4.4.1: 35 are sufficient for practically every tag. */
export const MAX_LANGUAGE_LENGTH = 100;

/** Whether a text is a language tag (BCP 47, RFC 5646) in any case. */
export function isLanguage(text: unknown): boolean {
  return typeof text === 'string' && tagOf(text) !== null;
}

/** The tag in its canonical form (RFC 5646 4.5), such as "en-GB" for "EN-gb". */
export function canonicalLanguage(text: string): string {
  return tagOf(text) ?? text;
}

function tagOf(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}
