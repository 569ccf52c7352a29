import { type GivenTexts, NO_TEXTS, textsAfter } from './members.js';
import { canonicalUri } from '@mintmark/identifier';
import { Problem } from '../problem/problem.js';
import type { ChangeKind, PatchOperation } from './change.js';
import type { AlternateName } from './alternate-name.js';
import type { CanonicalName } from './canonical-name.js';
import { isNameOf } from './key-collision.js';
import type { NamingAuthoritySnapshot } from './naming-authority-snapshot.js';
import { type OtherIdentifier, readReplacementName } from './parse-names.js';
import type { Predecessor } from './predecessor.js';
import {
  type IdentifierRecord,
  type IdentifierSnapshot,
  type MutableAttributes,
  REQUESTED_REASON_CODES,
  type ReasonCode,
  type RequestedReasonCode,
  type State,
  type Tombstone,
  identifierOf,
  nativeText,
} from './identifier-record.js';

const STEPS = {
  changed: ['reserved', 'active'],
  activated: ['reserved'],
  released: ['reserved'],
  withdrawn: ['reserved', 'active'],
  deleted: ['reserved', 'active'],
  reinstated: ['withdrawn'],
} as const satisfies Record<string, readonly State[]>;

export type Step = keyof typeof STEPS;

/** The tombstone of an identifier that was reserved and not activated in time. */
export const EXPIRED = {
  reasonCode: 'expired',
  reason: 'The reservation ended without activation.',
  replacedBy: null,
} as const;

/** The values that an identifier loses when its reservation ends; its name stays registered. */
const GIVEN_UP = { metadata: null, alternates: [], leaseUntil: null } as const;

/** @throws Problem WRONG_STATE without the text of the reason, because the result is stored and the reason can be hidden later. */
export function requireState(record: IdentifierRecord, step: Step): void {
  const allowed: readonly State[] = STEPS[step];
  if (allowed.includes(record.state)) return;
  const why = record.tombstone === null ? '' : ` (${record.tombstone.reasonCode})`;
  const canBe = step === 'withdrawn' && !isLegal(record) ? 'withdrawn for another reason than "legal"' : step;
  throw new Problem(
    'WRONG_STATE',
    `${nativeText(record)} is ${record.state}${why}; only an identifier that is ${allowed.join(' or ')} can be ${canBe}.`,
  );
}

export function activation(): Amendment {
  return { kind: 'activated', state: 'active', leaseUntil: null };
}

export function release(at: Date): Amendment {
  const why = { reasonCode: 'released', reason: 'The reservation was released.', replacedBy: null } as const;
  return ended('released', at, why);
}

function ended(kind: ChangeKind, withdrawnAt: Date, why: Omit<Tombstone, 'withdrawnAt'>): Amendment {
  return { kind, state: 'withdrawn', ...GIVEN_UP, tombstone: { withdrawnAt, ...why } };
}

export interface Withdrawal {
  /** Default: "other". */
  readonly reasonCode?: ReasonCode;
  readonly reason: string;
  readonly replacedBy?: string;
}

export interface Replacement extends OtherIdentifier, Pick<CanonicalName, 'key'> {
  readonly pointer: string;
}

export interface RequestedWithdrawal extends Pick<Withdrawal, 'reason'> {
  readonly reasonCode: RequestedReasonCode;
  readonly replacement: Replacement | null;
}

/** @throws Problem RESERVED_REASON_CODE for a code that only the service gives, or as `readReplacementName` does. */
export function readWithdrawal(
  { reasonCode = 'other', reason, replacedBy: sent }: Withdrawal,
  known: NamingAuthoritySnapshot,
): RequestedWithdrawal {
  if (!isRequested(reasonCode)) {
    const detail = `only the service gives the reason code "${reasonCode}"; use ${REQUESTED_REASON_CODES.join(', ')}`;
    throw new Problem('RESERVED_REASON_CODE', `${detail}.`, { errors: [{ pointer: '/reasonCode', detail }] });
  }
  if (sent === undefined) return { reasonCode, reason, replacement: null };
  const pointer = '/replacedBy';
  const { name, ...other } = readReplacementName(sent, known, pointer);
  const { key } = known.canonicalName(name);
  return { reasonCode, reason, replacement: { ...other, key, pointer } };
}

const isRequested = (code: ReasonCode): code is RequestedReasonCode =>
  (REQUESTED_REASON_CODES as readonly ReasonCode[]).includes(code);

/** The replacement in a tombstone; foreign names are not looked up. @throws Problem REPLACEMENT_NOT_FOUND */
export function replacedBy(
  withdrawn: IdentifierRecord,
  { canonical, address, isHidden, pointer }: Replacement,
  replacement: IdentifierRecord | null,
): string {
  if (address === null && !isHidden) return canonical;
  if (replacement?.state === 'active' && replacement.id !== withdrawn.id)
    return canonicalUri(identifierOf(replacement));
  const state = replacement?.id === withdrawn.id ? 'the identifier itself' : (replacement?.state ?? 'not registered');
  const detail = `replacedBy must name a different, active identifier; ${canonical} is ${state}`;
  throw new Problem('REPLACEMENT_NOT_FOUND', `${detail}.`, { errors: [{ pointer, detail }] });
}

/** Withdraws an identifier at the time of the change. An active identifier keeps its values for a reinstatement. */
export function withdrawal({ state }: IdentifierRecord, at: Date, why: Omit<Tombstone, 'withdrawnAt'>): Amendment {
  const tombstone = { withdrawnAt: at, ...why };
  return { kind: 'withdrawn', state: 'withdrawn', ...(state === 'reserved' && GIVEN_UP), tombstone };
}

/** Withdraws an identifier of a sandbox for a Handle client. The identifier loses its values, so that others can have its metadata ID. */
export function deletion(at: Date): Amendment {
  const why = { reasonCode: 'deleted', reason: 'The Handle was deleted.', replacedBy: null } as const;
  return { ...ended('deleted', at, why), ...NO_TEXTS, previousVersion: null, handleValues: null };
}

/** Whether a Handle client deleted the identifier, which then does not exist for such clients. */
export function isDeleted({ sandbox, state, tombstone }: IdentifierRecord): boolean {
  return sandbox && state === 'withdrawn' && tombstone?.reasonCode === 'deleted';
}

export function reinstatement(): Amendment {
  return { kind: 'reinstated', state: 'active', tombstone: null };
}

/** Ends an expired reservation. Its tombstone has the end of the lease. */
export function expiry({ leaseUntil }: IdentifierRecord, at: Date): Amendment {
  return ended('lapsed', leaseUntil ?? at, EXPIRED);
}

/** Whether a generated record is the metadata record of an object. Generated local names are hexadecimal, so case is ignored. */
export function describes(record: IdentifierRecord, { metadataId }: Pick<IdentifierRecord, 'metadataId'>): boolean {
  return metadataId !== null && isNameOf(metadataId, record, true);
}

/**
 * The change of the metadata record that was minted with a reserved object: both are activated, or both end. Other objects of the metadata
 * record have no effect, because they might be hidden from the principal, and the lease of the metadata record ends anyway.
 */
export function following(object: IdentifierRecord, amendment: Amendment, record: IdentifierRecord): Amendment | null {
  if (object.state !== 'reserved' || record.state !== 'reserved') return null;
  if (amendment.state === 'active') return describes(record, amended(object, amendment)) ? activation() : null;
  const { tombstone } = amendment;
  if (tombstone == null || !describes(record, object)) return null;
  return { ...amendment, tombstone: { ...tombstone, replacedBy: null } };
}

export function amended(record: MutableAttributes, amendment: Amendment): MutableAttributes {
  const { metadata, alternates, previousVersion, handleValues, state, leaseUntil, tombstone } = amendment;
  return {
    metadataId: metadata === undefined ? record.metadataId : (metadata?.canonical ?? null),
    ...textsAfter(record, amendment),
    alternateIds: alternates?.map(({ canonical }) => canonical) ?? record.alternateIds,
    previousVersion: previousVersion === undefined ? record.previousVersion : (previousVersion?.canonical ?? null),
    handleValues: handleValues === undefined ? record.handleValues : handleValues,
    state: state ?? record.state,
    leaseUntil: leaseUntil === undefined ? record.leaseUntil : leaseUntil,
    tombstone: tombstone === undefined ? record.tombstone : tombstone,
  };
}

/** The time of a change, which is not before the previous one even if the clock was set back. */
export function changeTime({ updatedAt }: Pick<IdentifierRecord, 'updatedAt'>, now: Date): Date {
  return updatedAt > now ? updatedAt : now;
}

/** A change of an identifier. Absent members are not changed. */
export interface Amendment extends GivenTexts {
  readonly kind: ChangeKind;
  readonly metadata?: CanonicalName | null;
  readonly alternates?: readonly AlternateName[];
  readonly previousVersion?: Predecessor | null;
  readonly handleValues?: MutableAttributes['handleValues'];
  readonly state?: MutableAttributes['state'];
  readonly leaseUntil?: Date | null;
  readonly tombstone?: MutableAttributes['tombstone'];
}

const HIDDEN_REASON = 'The details are not shown for legal reasons.';

/** The members that everyone sees of an identifier withdrawn for legal reasons. The reason in its tombstone is replaced. */
const SHOWN = [
  ...(['id', 'namingAuthority', 'guid', 'localName', 'version', 'createdAt', 'updatedAt', 'resolver', 'uris'] as const),
  ...(['sandbox', 'describes', 'newerVersions', 'state', 'leaseUntil', 'tombstone'] as const),
];

type Shown = (typeof SHOWN)[number];

const HIDDEN: Omit<IdentifierRecord & IdentifierSnapshot, Shown> & Readonly<Record<string, unknown>> = {
  ...NO_TEXTS,
  ...{ metadataId: null, alternateIds: [], previousVersion: null, handleValues: null },
};

const SHOWN_NAMES: ReadonlySet<string> = new Set(SHOWN);

/** Whether an identifier is withdrawn for legal reasons. */
export function isLegal({ tombstone }: Pick<MutableAttributes, 'tombstone'>): boolean {
  return tombstone?.reasonCode === 'legal';
}

/** A record withdrawn for legal reasons, or the document of its history, as shown to clients that may not change it. */
export function withoutLegalValues<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, shownValue(name, value)])) as T;
}

/** The patch of a change, without operations on members that are hidden for legal reasons, and with hidden values replaced. */
export function withoutLegalOperations(patch: readonly PatchOperation[]): PatchOperation[] {
  return patch.flatMap((operation): PatchOperation[] => {
    if (operation.op === 'add') return [{ ...operation, value: withoutLegalValues(operation.value) }];
    const name = operation.path.slice(1);
    return SHOWN_NAMES.has(name) ? [{ ...operation, value: shownValue(name, operation.value) }] : [];
  });
}

function shownValue(name: string, value: unknown): unknown {
  if (name === 'tombstone' && value !== null) return shownTombstone(value as Tombstone);
  return SHOWN_NAMES.has(name) ? value : (HIDDEN[name] ?? null);
}

function shownTombstone({ withdrawnAt, reasonCode, replacedBy }: Tombstone): Tombstone {
  return { withdrawnAt, reasonCode, reason: HIDDEN_REASON, replacedBy };
}
