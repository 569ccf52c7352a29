import { NO_TEXTS, TEXTS, type TextName, readTexts, textsAfter } from './members.js';
import { fingerprintOfName } from './key-collision.js';
import { formatUuid, namingAuthorityKey, parseUuid, parseHandle, parseNamingAuthority } from '@mintmark/identifier';
import { invalidRequest, invalidValue, malformed } from '../problem/problem.js';
import type { AlternateName } from './alternate-name.js';
import { type CanonicalName, MAX_LOCAL_NAME_BYTES } from './canonical-name.js';
import { type Digest, digestOf } from './uuid.js';
import { IGNORABLE_MEMBERS, type SentMembers } from './ignored-members.js';
import type { NamingAuthoritySnapshot } from './naming-authority-snapshot.js';
import { readAlternates, readMetadataId } from './parse-names.js';
import { type RequestedPredecessor, readPredecessor } from './predecessor.js';
import type { StoredValue } from './stored-value.js';
import { readTime } from './timestamp.js';

/** Bytes of the generated part of a local name, which follows `localNameStart`. */
const GUID_BYTES = 32;

/** What to do when an identifier of the naming authority already has the metadata ID. */
export const ON_EXISTING = ['match', 'return', 'reject', 'update'] as const;
export type OnExisting = (typeof ON_EXISTING)[number];

/** A mint request whose members have the expected types; identifiers are texts in any form. */
export interface MintRequest extends Partial<Record<TextName, string>> {
  readonly namingAuthority: string;
  readonly metadataId?: string;
  readonly mintMetadataId?: boolean;
  /** Only with `mintMetadataId`. */
  readonly metadataTarget?: string;
  readonly alternateIds?: readonly string[];
  /** The identifier of the previous version of the object; only if the new identifier is active. */
  readonly previousVersion?: string;
  readonly guid?: string;
  readonly localName?: string;
  /** The start of a minted local name; only under the profile "handle". */
  readonly localNameStart?: string;
  /** The Handle values in the order of their indexes; the target agrees with them. */
  readonly handleValues?: readonly StoredValue[];
  readonly state?: 'reserved' | 'active';
  /** A time of RFC 3339. */
  readonly leaseUntil?: string;
  readonly onExisting?: OnExisting;
}

/** A parsed mint request, equal for two notations of the request. If `target` is null, the target template applies, if there is one. */
export interface MintCommand extends SentMembers {
  readonly namingAuthority: string;
  readonly metadata: CanonicalName | null;
  readonly mintMetadataId: boolean;
  readonly metadataTarget: string | null;
  readonly alternates: readonly AlternateName[];
  readonly previousVersion: RequestedPredecessor | null;
  /** 32 upper-case hexadecimal digits of an identifier to register; null to mint one. */
  readonly guid: string | null;
  /** The local name of an identifier to register under the profile "handle"; null to mint one. */
  readonly localName: string | null;
  readonly localNameStart: string;
  readonly handleValues: readonly StoredValue[] | null;
  readonly leaseUntil: Date | null;
  readonly onExisting: OnExisting;
  readonly understood?: Understood | undefined;
}

/** Stored texts of names by their JSON Pointers in the request. */
export type Understood = Readonly<Record<string, string>>;

/** Parses the identifiers of a mint request. @throws Problem with a syntax code, or INVALID_REQUEST. */
export function parseMintRequest(request: MintRequest, known: NamingAuthoritySnapshot): MintCommand {
  const { namingAuthority, metadataId, mintMetadataId = false, alternateIds, guid, localName } = request;
  if (metadataId !== undefined && mintMetadataId) {
    throw invalidRequest(
      '/mintMetadataId',
      'mintMetadataId and metadataId exclude each other: mintMetadataId creates a metadata ID, metadataId names an existing one',
    );
  }
  if (request.metadataTarget !== undefined && !mintMetadataId) {
    throw invalidRequest('/metadataTarget', 'metadataTarget is permitted only with "mintMetadataId": true');
  }
  if (guid !== undefined && localName !== undefined) {
    throw invalidRequest('/localName', 'guid and localName exclude each other');
  }
  const authority = parseNamingAuthority(namingAuthority);
  if (!authority.ok) throw malformed(authority.fault, '/namingAuthority');
  const metadata =
    metadataId === undefined
      ? null
      : readMetadataId(metadataId, known, '/metadataId', known.metadataIdScheme(namingAuthority));
  const previousVersion = readPreviousVersion(request, known);
  let understood: Record<string, string> | undefined;
  const note = (pointer: string, sent: string | undefined, read: string | undefined): void => {
    if (read !== undefined && read !== sent) (understood ??= {})[pointer] = read;
  };
  note('/metadataId', metadataId, metadata?.canonical);
  const alternates = alternateIds === undefined ? [] : readAlternates(alternateIds, known, '/alternateIds', note);
  note('/previousVersion', request.previousVersion, previousVersion?.canonical);
  const { target, language } = textsAfter(NO_TEXTS, readTexts(request));
  return {
    namingAuthority,
    metadata,
    mintMetadataId,
    metadataTarget: request.metadataTarget ?? null,
    target,
    language,
    alternates,
    previousVersion,
    guid: guid === undefined ? null : readGuid(guid),
    localName: localName === undefined ? null : readLocalName(namingAuthority, localName),
    localNameStart: request.localNameStart
      ? readLocalName(namingAuthority, request.localNameStart, MAX_LOCAL_NAME_BYTES - GUID_BYTES)
      : '',
    handleValues: request.handleValues ?? null,
    leaseUntil: readLease(request.state, request.leaseUntil),
    onExisting: request.onExisting ?? 'match',
    sent: IGNORABLE_MEMBERS.filter((name) => request[name] !== undefined),
    understood,
  };
}

/** The fingerprint of a request, equal for all its notations. It omits defaults, so that members of later versions do not change it. */
export function mintFingerprint(command: MintCommand): Digest {
  return digestOf(JSON.stringify(canonicalMint(command)));
}

/**
 * The canonical form of a request. The fingerprint depends on its JSON, which omits undefined members. Object spreads instead of undefined
 * members would take microseconds of each mint.
 */
export function canonicalMint(command: MintCommand): object {
  const { alternates, handleValues, leaseUntil, onExisting } = command;
  // An update with an empty list removes the alternates.
  const hasAlternates = alternates.length > 0 || (onExisting === 'update' && command.sent.includes('alternateIds'));
  const canonical: Record<string, unknown> = {
    namingAuthority: namingAuthorityKey(command.namingAuthority),
    metadata: command.metadata === null ? undefined : fingerprintOfName(command.metadata),
    mintMetadataId: command.mintMetadataId || undefined,
    metadataTarget: command.metadataTarget ?? undefined,
    // These two are set below. They are listed here because their place in the JSON must not change.
    target: undefined,
    language: undefined,
    alternates: hasAlternates ? alternates.map(fingerprintOfName) : undefined,
    previousVersion: command.previousVersion?.key,
    guid: command.guid ?? undefined,
    localName: command.localName ?? undefined,
    localNameStart: command.localNameStart === '' ? undefined : command.localNameStart,
    handleValues: handleValues?.map(({ timestamp: _, ...value }) => value),
    leaseUntil: leaseUntil?.toISOString(),
    onExisting: onExisting === 'match' ? undefined : onExisting,
  };
  for (const { name } of TEXTS) canonical[name] = command[name] ?? undefined;
  return canonical;
}

function readPreviousVersion(
  { previousVersion, state }: Pick<MintRequest, 'previousVersion' | 'state'>,
  known: NamingAuthoritySnapshot,
): RequestedPredecessor | null {
  if (previousVersion === undefined) return null;
  if (state === 'reserved')
    throw invalidValue('/previousVersion', 'is permitted only for an active identifier: send it with the activation');
  return readPredecessor(previousVersion, known, '/previousVersion');
}

function readGuid(text: string): string {
  const read = parseUuid(text);
  if (!read.ok) throw malformed({ ...read.fault, code: 'INVALID_GUID' }, '/guid');
  return formatUuid(read.value);
}

/** Accepts the local name of any legal Handle (CID-02) that is not empty. */
function readLocalName(namingAuthority: string, text: string, most = MAX_LOCAL_NAME_BYTES): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > most) {
    throw invalidValue('/localName', `has ${bytes} bytes in UTF-8; at most ${most} are allowed`);
  }
  const lead = namingAuthority.length + 1;
  const read = parseHandle(`${namingAuthority}/${text}`);
  if (!read.ok) throw malformed({ ...read.fault, offset: Math.max(0, read.fault.offset - lead) }, '/localName');
  if (text !== '') return text;
  const detail = 'a registered identifier needs a local name that is not empty (R-11)';
  throw malformed({ code: 'EMPTY_LOCAL_NAME', detail, offset: 0, rule: 'R-11' }, '/localName');
}

function readLease(state: MintRequest['state'], leaseUntil: string | undefined): Date | null {
  if (state === 'reserved' && leaseUntil === undefined)
    throw invalidRequest('/leaseUntil', 'leaseUntil is required for a reserved identifier');
  if (leaseUntil === undefined) return null;
  if (state !== 'reserved')
    throw invalidRequest('/leaseUntil', 'leaseUntil is permitted only with "state": "reserved"');
  return readTime(leaseUntil, '/leaseUntil');
}
