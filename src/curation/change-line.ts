import type { Principal } from '../access/principal.js';
import { Problem, invalidRequest, malformed } from '../problem/problem.js';
import { type Digest, digestOf } from '../registry/digest.js';
import type { Address, NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import {
  type CurationCommand,
  type CurationStep,
  type NewValues,
  fingerprintSource,
  namesIn,
  parseCommand,
} from './curation-command.js';

/** One line of a stream of changes, with names in any form. A value that is absent is not changed. */
export interface ChangeRequest extends NewValues {
  readonly identifier: string;
  readonly withdraw?: { readonly reason: string; readonly replacedBy?: string };
  readonly reinstate?: boolean;
  readonly activate?: boolean;
  /** The target of the metadata record that was minted with the object; only with `activate`. */
  readonly metadataTarget?: string;
  /** The version that the identifier must have. */
  readonly ifVersion?: number;
}

/** A line as it was received: its request, or the problem of its format. */
export interface ReceivedChange {
  /** Counted from 1. */
  readonly line: number;
  /** Chosen by the client. */
  readonly clientRef: string | undefined;
  readonly request: ChangeRequest | Problem;
  /** The fingerprint source of a line that cannot be parsed. */
  readonly content: () => string;
}

/** A line that is parsed and permitted. */
export interface ParsedChange {
  /** The requested identifier in its own form, for the refusal of one that is not registered. */
  readonly text: string;
  /** Null for an identifier of no visible naming authority. */
  readonly address: Address | null;
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

/** The texts of a line that name identifiers, which are compared by the rules of their naming authorities. */
export function textsIn({ request }: ReceivedChange): string[] {
  if (request instanceof Problem) return [];
  const { identifier, withdraw } = request;
  return [identifier, ...namesIn({ step: 'changed', values: request }), withdraw?.replacedBy ?? []].flat();
}

/**
 * Parses and authorises a line. A naming authority outside the grants is refused before its identifiers are looked up.
 * @returns a line whose `change` is a Problem with pointers into the line when it is invalid or not permitted.
 */
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
    const step = parseStep(request, known);
    const read = known.recognize(identifier);
    if (!read.ok) throw malformed(read.fault, '/identifier');
    const { name, normalized } = read.value;
    const { comparison } = known.canonicalName(name);
    fingerprint = digestOf(JSON.stringify([fingerprintSource(comparison, step), ifVersion ?? null]));
    const address = known.locate(name);
    if (address !== null) principal.require('curate', address.namingAuthority, '/identifier');
    return { line, clientRef, change: { text: normalized, address, step, ifVersion }, fingerprint };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    fingerprint ??= digestOf(JSON.stringify(['unread', received.content()]));
    return { line, clientRef, change: error, fingerprint };
  }
}

/** @throws Problem INVALID_REQUEST for a line with more than one step, or as `parseCommand` does. */
function parseStep(request: ChangeRequest, known: NamingAuthoritySnapshot): CurationStep {
  const command = commandOf(request);
  const scheme = known.metadataIdSchemeOf(request.identifier);
  if (command.step !== 'withdrawn') return parseCommand(command, known, scheme);
  try {
    return parseCommand(command, known);
  } catch (error) {
    throw error instanceof Problem ? inWithdrawal(error) : error;
  }
}

function commandOf({
  target,
  metadataId,
  alternateIds,
  withdraw,
  reinstate,
  activate,
  metadataTarget,
}: ChangeRequest): CurationCommand {
  const values: NewValues = {
    ...(target !== undefined && { target }),
    ...(metadataId !== undefined && { metadataId }),
    ...(alternateIds !== undefined && { alternateIds }),
  };
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

/** The problem of a withdrawal with pointers into a line of changes. */
export function inWithdrawal({ code, detail, extensions }: Problem): Problem {
  const errors = extensions.errors?.map((each) => ({ ...each, pointer: `/withdraw${each.pointer}` }));
  return new Problem(code, detail, { ...extensions, ...(errors !== undefined && { errors }) });
}
