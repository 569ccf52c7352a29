import { readTexts } from '../registry/members.js';
import type { Principal } from '../access/principal.js';
import { type RepairCode, parseNamingAuthority } from '@mintmark/identifier';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import { Problem, invalidRequest, invalidValue, malformed } from '../problem/problem.js';
import { type Digest, digestOf } from '../registry/uuid.js';
import type { MetadataIdScheme } from '../registry/naming-authority.js';
import type { Address, NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { notRegisteredDetail } from '../registry/resolve-identifier.js';
import { readMetadataId } from '../registry/parse-names.js';
import type { Withdrawal } from '../registry/lifecycle.js';
import type { UniqueName } from '../storage/identifiers/name-holders.js';
import {
  type CurationCommand,
  type CurationStep,
  type NewValues,
  fingerprintSource,
  namesIn,
  parseCommand,
  requirePermitted,
} from './curation-command.js';

/** One line of a stream of changes, with names in any form. A value that is absent is not changed. */
export interface ChangeRequest extends NewValues {
  /** When absent, the line names the identifier by its metadata ID and naming authority. */
  readonly identifier?: string;
  readonly namingAuthority?: string;
  readonly withdraw?: Withdrawal;
  readonly reinstate?: boolean;
  readonly activate?: boolean;
  readonly metadataTarget?: string;
  readonly ifVersion?: number;
}

export interface ReceivedChange {
  /** Counted from 1. */
  readonly line: number;
  readonly clientRef: string | undefined;
  readonly request: ChangeRequest | Problem;
  /** The fingerprint source of a line that cannot be parsed. */
  readonly content: () => string;
}

export interface ParsedChange {
  /** The detail of the problem if the identifier is not found. */
  readonly missDetail: string;
  /** The address of the identifier; null outside the visible naming authorities, or if the line names the identifier by its metadata ID. */
  readonly address: Address | null;
  /** The address that includes white space at the end of the text. It is looked up first. Null if the text has no such white space. */
  readonly exact: Address | null;
  readonly repairs: readonly RepairCode[];
  readonly pointer: '/identifier' | '/metadataId';
  /** The metadata ID that names the identifier; null if the line has an identifier, or the naming authority is hidden. */
  readonly metadata: UniqueName | null;
  readonly step: CurationStep;
  readonly ifVersion: number | undefined;
}

export interface ReadyChange {
  readonly line: number;
  readonly clientRef: string | undefined;
  readonly change: ParsedChange | Problem;
  /** Equal for two notations of the same change. */
  readonly fingerprint: Digest;
}

/** The texts of a line that name identifiers. The rules of their naming authorities are needed to compare them. */
export function textsIn({ request }: ReceivedChange): string[] {
  if (request instanceof Problem) return [];
  const { identifier, namingAuthority, withdraw } = request;
  // A local name is added, because a naming authority alone is not an identifier.
  const subject = identifier ?? (namingAuthority === undefined ? [] : `${namingAuthority}/0`);
  return [subject, ...namesIn({ step: 'changed', values: valuesOf(request) }), withdraw?.replacedBy ?? []].flat();
}

/** @returns a line. If it is invalid or not permitted, its `change` is a Problem with pointers into the line. */
export function readChange(
  received: ReceivedChange,
  known: NamingAuthoritySnapshot,
  principal: Principal,
): ReadyChange {
  const { line, clientRef, request } = received;
  let fingerprint: Digest | null = null;
  try {
    if (request instanceof Problem) throw request;
    const { identifier, ifVersion } = request;
    const fingerprintOf = (subject: string, step: CurationStep): Digest =>
      digestOf(JSON.stringify([fingerprintSource(subject, step), ifVersion ?? null]));
    if (identifier === undefined) {
      const { metadata, missDetail, ...values } = namedByMetadataId(request, known);
      const step = parseStep(values, known, 'recognized');
      const { namingAuthority, name } = metadata;
      fingerprint = fingerprintOf(JSON.stringify(['metadataId', namingAuthority, name.comparison]), step);
      const isVisible = known.find(namingAuthority) !== undefined;
      if (isVisible) principal.require('curate', namingAuthority, '/namingAuthority');
      const pointer = '/metadataId' as const;
      const found = { address: null, exact: null, repairs: [], metadata: isVisible ? metadata : null };
      const change = { missDetail, pointer, ...found, step, ifVersion };
      return { line, clientRef, change, fingerprint };
    }
    if (request.namingAuthority !== undefined)
      throw invalidValue('/namingAuthority', 'is permitted only in a line without identifier');
    const step = parseStep(request, known, known.metadataIdSchemeOf(identifier));
    const read = known.recognize(identifier);
    if (!read.ok) throw malformed(read.fault, '/identifier');
    const { name, normalized } = read.value;
    const exact = known.exactHandle(identifier);
    const { comparison } = known.canonicalName(exact?.name ?? name);
    fingerprint = fingerprintOf(comparison, step);
    const address = known.locate(name);
    if (address !== null) principal.require('curate', address.namingAuthority, '/identifier');
    const found = { address, exact: exact?.address ?? null, repairs: read.repairs, metadata: null };
    const missDetail = notRegisteredDetail(name, normalized, known);
    const change = { missDetail, pointer: '/identifier' as const, ...found, step, ifVersion };
    return { line, clientRef, change, fingerprint };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    fingerprint ??= digestOf(JSON.stringify(['unread', received.content()]));
    return { line, clientRef, change: error, fingerprint };
  }
}

function parseStep(request: ChangeRequest, known: NamingAuthoritySnapshot, scheme: MetadataIdScheme): CurationStep {
  const command = commandOf(request);
  if (command.step !== 'withdrawn') return parseCommand(command, known, scheme);
  try {
    const step = parseCommand(command, known);
    if (step.step !== 'withdrawn' || step.replacement === null) return step;
    return { ...step, replacement: { ...step.replacement, pointer: '/withdraw/replacedBy' } };
  } catch (error) {
    throw error instanceof Problem ? inWithdrawal(error) : error;
  }
}

function namedByMetadataId(
  { metadataId, namingAuthority, ...request }: ChangeRequest,
  known: NamingAuthoritySnapshot,
): ChangeRequest & { readonly metadata: UniqueName; readonly missDetail: string } {
  if (metadataId === undefined || metadataId === null)
    throw invalidValue('/identifier', 'must be sent, or a metadataId that names the identifier');
  if (namingAuthority === undefined)
    throw invalidValue(
      '/namingAuthority',
      'must be sent, in the line or in the request, with a metadataId that names the identifier',
    );
  const authority = parseNamingAuthority(namingAuthority);
  if (!authority.ok) throw malformed(authority.fault, '/namingAuthority');
  const prefix = known.find(namingAuthority)?.prefix ?? namingAuthority;
  const name = readMetadataId(metadataId, known, '/metadataId', known.metadataIdScheme(prefix));
  const metadata = { namingAuthority: prefix, kind: 'metadataId' as const, name };
  return { ...request, metadata, missDetail: `The metadata ID ${name.canonical} is well formed but not registered.` };
}

function valuesOf(request: ChangeRequest): NewValues {
  const { metadataId, alternateIds, previousVersion } = request;
  return {
    ...readTexts(request),
    ...(metadataId !== undefined && { metadataId }),
    ...(alternateIds !== undefined && { alternateIds }),
    ...(previousVersion !== undefined && { previousVersion }),
  };
}

function commandOf({ withdraw, reinstate, activate, metadataTarget, ...request }: ChangeRequest): CurationCommand {
  const values = valuesOf(request);
  const steps = [
    withdraw !== undefined && 'withdraw',
    reinstate === true && 'reinstate',
    activate === true && 'activate',
  ];
  const [step, other] = steps.filter((each) => each !== false);
  if (other !== undefined)
    throw invalidRequest(`/${other}`, `a line with "${step}" cannot have "${other}"; send two lines`);
  const [value] = Object.keys(values);
  if (value !== undefined && (step === 'withdraw' || step === 'reinstate'))
    throw invalidRequest(`/${value}`, `a line with "${step}" cannot have "${value}"; send two lines`);
  if (metadataTarget !== undefined && step !== 'activate')
    throw invalidRequest('/metadataTarget', 'metadataTarget is permitted only with "activate": true');
  if (withdraw !== undefined) return { step: 'withdrawn', ...withdraw };
  if (step === 'reinstate') return { step: 'reinstated' };
  if (step !== 'activate') return { step: 'changed', values };
  return { step: 'activated', values, ...(metadataTarget !== undefined && { metadataTarget }) };
}

function inWithdrawal({ code, detail, extensions }: Problem): Problem {
  const errors = extensions.errors?.map((each) => ({ ...each, pointer: `/withdraw${each.pointer}` }));
  return new Problem(code, detail, { ...extensions, ...(errors !== undefined && { errors }) });
}

/** Requires a state that permits the step, and the version that the line names. @throws Problem WRONG_STATE or PRECONDITION_FAILED */
export function requireChangeable(record: IdentifierRecord, step: CurationStep, ifVersion: number | undefined): void {
  requirePermitted(record, step);
  if (ifVersion === undefined || ifVersion === record.version) return;
  const detail = `${nativeText(record)} has version ${record.version}, not ${ifVersion}; read it again and repeat the change with its new version`;
  throw new Problem('PRECONDITION_FAILED', `${detail}.`, { errors: [{ pointer: '/ifVersion', detail }] });
}
