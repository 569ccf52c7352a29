/** The members of a record that requests give or change, in the order of representations. A `text` is stored in its canonical form. */
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
type Text = Extract<Member, { readonly kind: 'text' }>;
export type TextName = Text['name'];

export type Texts = Readonly<Record<TextName, string | null>>;

/** Texts in a request; an absent member is not changed. */
export type GivenTexts = Readonly<Partial<Record<TextName, string | null>>>;

export type MemberColumn = Member['columns'][number];

export const TEXTS: readonly Text[] = MEMBERS.filter((member) => member.kind === 'text');

type Writable = Partial<Record<TextName, string | null>>;

export const NO_TEXTS = Object.fromEntries(TEXTS.map(({ name }) => [name, null])) as unknown as Texts;

/** The given texts in canonical form, without other members. The DTOs have validated them. */
export function readTexts(values: GivenTexts): GivenTexts {
  const read: Writable = {};
  for (const { name, canonical } of TEXTS) {
    const text = values[name];
    if (text !== undefined) read[name] = text === null ? null : canonical(text);
  }
  return read;
}

export function textsAfter(before: Texts, given: GivenTexts): Texts {
  const after: Writable = {};
  for (const { name } of TEXTS) after[name] = given[name] === undefined ? before[name] : given[name];
  return after as Texts;
}

export function hasTexts(record: Texts, given: GivenTexts): boolean {
  return TEXTS.every(({ name }) => given[name] === undefined || given[name] === record[name]);
}

/** Maximum length in characters; the database has the same limit. By RFC 5646 4.4.1, 35 characters suffice for practically every tag. */
export const MAX_LANGUAGE_LENGTH = 100;

/** `langtag` of RFC 5646 2.1, and the regular grandfathered tags. */
const LANGTAG =
  /^(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?$/i;

/** `privateuse`, and the irregular grandfathered tags. */
const OTHER_TAG =
  /^(?:x(?:-[a-z0-9]{1,8})+|en-gb-oed|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|sgn-(?:be-fr|be-nl|ch-de))$/i;

/** Whether a text is a well-formed language tag (BCP 47, RFC 5646 2.1), in any case. */
export function isLanguage(text: unknown): boolean {
  return typeof text === 'string' && (LANGTAG.test(text) || OTHER_TAG.test(text));
}

/** A tag in the case of RFC 5646 2.1.1, such as "en-GB" for "EN-gb". No subtag is replaced. */
export function canonicalLanguage(text: string): string {
  const subtags = text.toLowerCase().split('-');
  const singleton = subtags.findIndex((subtag) => subtag.length === 1);
  return subtags
    .map((subtag, index) => {
      if (index === 0 || (singleton !== -1 && index > singleton)) return subtag;
      if (subtag.length === 2) return subtag.toUpperCase();
      return subtag.length === 4 ? subtag.charAt(0).toUpperCase() + subtag.slice(1) : subtag;
    })
    .join('-');
}
