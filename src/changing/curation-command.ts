import { type GivenTexts, hasTexts, readTexts } from '../registry/members.js';
import type { Principal } from '../access/principal.js';
import { Problem } from '../problem/problem.js';
import { type AlternateName, gainedBy } from '../registry/alternate-name.js';
import type { CanonicalName } from '../registry/canonical-name.js';
import { type IdentifierRecord, identifierOf, nativeText, requireSize } from '../registry/identifier-record.js';
import { areSameNames, fingerprintOfName, isSameName } from '../registry/key-collision.js';
import {
  type Amendment,
  type RequestedWithdrawal,
  type Withdrawal,
  activation,
  amended,
  isLegal,
  readWithdrawal,
  reinstatement,
  release,
  replacedBy,
  requireState,
  withdrawal,
  withoutLegalValues,
} from '../registry/lifecycle.js';
import type { MetadataIdScheme } from '../registry/naming-authority.js';
import type { Address, NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { readAlternates, readMetadataId, requireTwoThings } from '../registry/parse-names.js';
import {
  type Predecessor,
  type RequestedPredecessor,
  predecessorOf,
  readPredecessor,
} from '../registry/predecessor.js';
import {
  type ValuesStep,
  decideValues,
  metadataIdIn,
  parsePut,
  valuesContent,
  withStoredValues,
} from './values-command.js';

/** New values of an identifier, with names in any form. A member that is absent is not changed. */
export interface NewValues extends GivenTexts {
  readonly metadataId?: string | null;
  /** Null removes all alternates, as an empty list does. */
  readonly alternateIds?: readonly string[] | null;
  readonly previousVersion?: string | null;
}

interface Activation<Values> {
  readonly step: 'activated';
  readonly values: Values;
  /** The target of the metadata record that was minted with the object; absent if that record keeps its target. */
  readonly metadataTarget?: string;
}

export type CurationCommand =
  | { readonly step: 'changed'; readonly values: NewValues }
  | Activation<NewValues>
  | ({ readonly step: 'withdrawn' } & Withdrawal)
  | { readonly step: 'reinstated' }
  | ValuesStep;

export interface ParsedValues extends GivenTexts {
  readonly metadata?: CanonicalName | null;
  readonly alternates?: readonly AlternateName[];
  readonly previousVersion?: RequestedPredecessor | null;
}

export type CurationStep =
  | { readonly step: 'changed'; readonly values: ParsedValues }
  | Activation<ParsedValues>
  | ({ readonly step: 'withdrawn' } & RequestedWithdrawal)
  | { readonly step: 'reinstated' }
  | { readonly step: 'released' }
  | ValuesStep;

export function isOfValues(step: CurationStep): step is ValuesStep {
  return step.step === 'put' || step.step === 'removed' || step.step === 'deleted';
}

/** The names in a command. The rules of their naming authorities are needed to compare them. */
export function namesIn(command: CurationCommand): string[] {
  if ('values' in command) {
    const { metadataId, alternateIds, previousVersion } = command.values;
    return [metadataId ?? [], alternateIds ?? [], previousVersion ?? []].flat();
  }
  if (command.step === 'put') return [metadataIdIn(command.put.values) ?? []].flat();
  return 'replacedBy' in command ? [command.replacedBy ?? []].flat() : [];
}

/**
 * @param scheme the metadata ID scheme of the naming authority.
 * @throws Problem with a syntax code, RESERVED_REASON_CODE, or INVALID_REQUEST for an identifier that is too long.
 */
export function parseCommand(
  command: CurationCommand,
  known: NamingAuthoritySnapshot,
  scheme: MetadataIdScheme = 'recognized',
): CurationStep {
  switch (command.step) {
    case 'changed':
    case 'activated':
      return { ...command, values: parseValues(command.values, known, scheme) };
    case 'withdrawn':
      return { step: 'withdrawn', ...readWithdrawal(command, known) };
    case 'put':
      return parsePut(command.put, known, scheme);
    default:
      return command;
  }
}

function parseValues(values: NewValues, known: NamingAuthoritySnapshot, scheme: MetadataIdScheme): ParsedValues {
  const { metadataId, alternateIds, previousVersion } = values;
  return {
    ...(metadataId !== undefined && {
      metadata: metadataId === null ? null : readMetadataId(metadataId, known, '/metadataId', scheme),
    }),
    ...readTexts(values),
    ...(alternateIds !== undefined && { alternates: readAlternates(alternateIds ?? [], known, '/alternateIds') }),
    ...(previousVersion !== undefined && {
      previousVersion: previousVersion === null ? null : readPredecessor(previousVersion, known, '/previousVersion'),
    }),
  };
}

/** The address of the replacement or the previous version that a step names. */
export function otherAddressIn(step: CurationStep): Address | null {
  if ('values' in step) return step.values.previousVersion?.address ?? null;
  return step.step === 'withdrawn' ? (step.replacement?.address ?? null) : null;
}

/**
 * The fingerprint source of a step on an identifier, equal for two notations of the same request.
 * @param precondition see `CurationContext`.
 */
export function fingerprintSource(identifier: string, step: CurationStep, precondition?: unknown): object {
  const content = { [step.step]: identifier, ...(precondition !== undefined && { precondition }) };
  if (step.step === 'reinstated' || step.step === 'released' || step.step === 'deleted') return content;
  if (step.step === 'put' || step.step === 'removed') return { ...content, ...valuesContent(step) };
  if (step.step === 'withdrawn') {
    const { reasonCode, reason, replacement } = step;
    const kind = reasonCode === 'other' ? {} : { reasonCode };
    return { ...content, ...kind, reason, replacedBy: replacement?.key ?? null };
  }
  const { metadata, alternates, previousVersion } = step.values;
  return {
    ...content,
    ...(metadata !== undefined && { metadataId: metadata && fingerprintOfName(metadata) }),
    ...readTexts(step.values),
    ...(alternates !== undefined && { alternateIds: alternates.map(fingerprintOfName) }),
    ...(previousVersion !== undefined && { previousVersion: previousVersion?.key ?? null }),
    ...('metadataTarget' in step && { metadataTarget: step.metadataTarget }),
  };
}

/** The metadata ID and alternates of a withdrawn record can be changed, to free them for other identifiers. @throws Problem WRONG_STATE */
export function requirePermitted(record: IdentifierRecord, step: CurationStep): void {
  // Writes of Handle values have their own rules for states: see `decideValues`.
  if (isOfValues(step)) return;
  // A withdrawn record can get a legal reason, which hides its values. A reinstatement before that would publish the values.
  if (step.step === 'withdrawn' && step.reasonCode === 'legal' && record.tombstone !== null && !isLegal(record)) return;
  if (step.step !== 'changed' || record.tombstone === null) {
    requireState(record, step.step);
    return;
  }
  const { metadata: _, alternates: __, ...others } = step.values;
  // The other members may have their current values, because the request can be the whole representation or a row of an export.
  if (isMet(record, others)) return;
  const hint = 'only its metadataId and its alternateIds can be changed, or it can be reinstated';
  throw new Problem('WRONG_STATE', `${nativeText(record)} is withdrawn (${record.tombstone.reasonCode}); ${hint}.`);
}

export interface DecisionContext {
  readonly at: Date;
  readonly known: NamingAuthoritySnapshot;
  /** The record of the replacement or of the previous version; null if the step names none, or if it is not registered. */
  readonly other: IdentifierRecord | null;
  readonly principal: Pick<Principal, 'hides' | 'requireNaming'>;
}

/**
 * Decides how a step changes a locked record in a permitted state.
 * @returns null if the record already has all requested values.
 * @throws Problem METADATA_ID_IS_IDENTIFIER, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, REPLACEMENT_NOT_FOUND, INVALID_PREDECESSOR,
 * WRONG_STATE, RECORD_TOO_LARGE
 * @throws HandleFault as `decideValues`
 */
export function decide(record: IdentifierRecord, step: CurationStep, context: DecisionContext): Amendment | null {
  const amendment = amendmentBy(record, step, context);
  if (amendment !== null) requireSize({ ...record, ...amended(record, amendment) }, record);
  return amendment;
}

function amendmentBy(record: IdentifierRecord, step: CurationStep, context: DecisionContext): Amendment | null {
  switch (step.step) {
    case 'changed':
    case 'activated': {
      if (step.step === 'changed' && isMet(record, step.values)) return null;
      const values = decideVersion(record, step.step, newNames(record, step.values), context);
      requireNames(record, values, context);
      const change = step.step === 'changed' ? { kind: step.step } : activation();
      return { ...change, ...withStoredValues(record, values, context.at) };
    }
    case 'withdrawn': {
      const { reasonCode, reason, replacement } = step;
      const before = record.tombstone?.replacedBy ?? null;
      const replaced = replacement === null ? before : replacedBy(record, replacement, context.other);
      const why = { reasonCode, reason, replacedBy: replaced };
      return withdrawal(record, context.at, why);
    }
    case 'reinstated':
      return reinstatement();
    case 'released':
      return release(context.at);
    default:
      return decideValues(record, step, context);
  }
}

/** Whether the record already has all requested values. */
export function isMet(record: IdentifierRecord, values: ParsedValues): boolean {
  const { metadata, alternates, previousVersion } = newNames(record, values);
  const hasNames = metadata === undefined && alternates === undefined && previousVersion === undefined;
  return hasNames && hasTexts(record, values);
}

/** The values without the names that the record already has, so that these keep their stored notation. */
function newNames(record: IdentifierRecord, values: ParsedValues): ParsedValues {
  const { metadata, alternates, previousVersion, ...texts } = values;
  return {
    ...texts,
    ...(metadata !== undefined && !isSameName(record.metadataId, metadata) && { metadata }),
    ...(alternates !== undefined && !areSameNames(record.alternateIds, alternates) && { alternates }),
    // The current previous version is not checked again. It may be part of a cycle, because an import does not check for one.
    ...(previousVersion !== undefined && !isSameName(record.previousVersion, previousVersion) && { previousVersion }),
  };
}

interface DecidedValues extends Omit<ParsedValues, 'previousVersion'> {
  readonly previousVersion?: Predecessor | null;
}

/** Only an active identifier can replace another one, because a reservation is not a version yet. */
function decideVersion(
  record: IdentifierRecord,
  step: 'changed' | 'activated',
  values: ParsedValues,
  { known, other, principal }: DecisionContext,
): DecidedValues {
  const { previousVersion, ...others } = values;
  if (previousVersion === undefined) return others;
  if (previousVersion === null) return { ...others, previousVersion };
  if (step === 'changed' && record.state === 'reserved') {
    const detail = `${nativeText(record)} is reserved; only an active identifier can replace another one: send previousVersion with the activation`;
    throw new Problem('WRONG_STATE', `${detail}.`, { errors: [{ pointer: '/previousVersion', detail }] });
  }
  const self = known.canonicalName(identifierOf(record));
  // The error for a cycle would reveal the previous version of a hidden record.
  const shown = other !== null && principal.hides(other) ? withoutLegalValues(other) : other;
  return { ...others, previousVersion: predecessorOf(previousVersion, shown, self) };
}

function requireNames(
  record: IdentifierRecord,
  { metadata = null, alternates = [] }: DecidedValues,
  { known, principal }: Pick<DecisionContext, 'known' | 'principal'>,
): void {
  requireTwoThings(known.canonicalName(identifierOf(record)), metadata, '/metadataId');
  for (const { name, index } of gainedBy(record, alternates)) principal.requireNaming(name, index);
}
