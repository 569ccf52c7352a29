import type { Caller } from '../access/caller.js';
import {
  type Name,
  formatDceUuid,
  namingAuthorityKey,
  parseDceUuid,
  parseHandle,
  parseNamingAuthority,
} from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import { type Digest, digestOf } from '../record/digest.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import { readAlternates, readMetadataId } from '../record/read-names.js';
import { MAX_LOCAL_NAME_OCTETS, type StoredName } from '../record/stored-name.js';
import { readLease } from './lease.js';
import type { MintRequestDto } from './mint-request.dto.js';

/** A mint request with every identifier read: what is asked for, free of spellings. */
export interface MintOrder {
  readonly namingAuthority: string;
  readonly metadata: (StoredName & { readonly name: Name }) | null;
  readonly mintMetadataId: boolean;
  /** Null for the one that the naming authority's template gives, if it has one. */
  readonly target: string | null;
  readonly alternates: readonly StoredName[];
  /** 32 hex digits in capitals of an identifier to register; null to mint one. */
  readonly guid: string | null;
  /** Local name of an identifier to register under a naming authority of the profile "handle"; null to mint one. */
  readonly localName: string | null;
  /** Until when to reserve the identifier; null for an active one. */
  readonly leaseUntil: Date | null;
  readonly onExisting: 'return' | 'reject';
}

/**
 * Reads the identifiers of a request.
 * @throws Problem with a syntax code for a malformed one, INVALID_REQUEST for a contradiction.
 */
export function readOrder(request: MintRequestDto, known: KnownAuthorities): MintOrder {
  const { namingAuthority, metadataId, mintMetadataId = false, target = null, guid, localName } = request;
  if (metadataId !== undefined && mintMetadataId) {
    throw contradiction(
      '/mintMetadataId',
      'mintMetadataId asks for a new metadata ID, and metadataId names an existing one: send only one of them',
    );
  }
  if (guid !== undefined && localName !== undefined) {
    throw contradiction('/localName', 'guid and localName both name the identifier: send only one of them');
  }
  const authority = parseNamingAuthority(namingAuthority, 'handle');
  if (!authority.ok) throw malformed(authority.fault, '/namingAuthority');
  return {
    namingAuthority,
    metadata: metadataId === undefined ? null : readMetadataId(metadataId, known, '/metadataId'),
    mintMetadataId,
    target,
    alternates: readAlternates(request.alternateIds ?? [], known, '/alternateIds'),
    guid: guid === undefined ? null : readGuid(guid),
    localName: localName === undefined ? null : readLocalName(namingAuthority, localName),
    leaseUntil: readLease(request.state, request.leaseUntil),
    onExisting: request.onExisting ?? 'return',
  };
}

/**
 * The caller may mint under the naming authority, or register what exists already.
 * @throws Problem SCOPE_MISSING or NAMING_AUTHORITY_FORBIDDEN
 */
export function requireMinting(caller: Caller, { guid, localName, namingAuthority }: MintOrder): void {
  const scope = guid === null && localName === null ? 'mint' : 'register';
  caller.require(scope, namingAuthority, '/namingAuthority');
}

/**
 * The digest of what a request means. A repeat in another spelling is the same request; a request for anything else is
 * not. Defaults are left out, so that a member that a later version adds changes no hash that is stored already.
 */
export function orderHash(order: MintOrder): Digest {
  return digestOf(JSON.stringify(orderMeaning(order)));
}

/** What a request means, as JSON whose order is always the same. */
export function orderMeaning(order: MintOrder): object {
  const { namingAuthority, metadata, mintMetadataId, target, alternates, guid, localName, leaseUntil, onExisting } =
    order;
  return {
    namingAuthority: namingAuthorityKey(namingAuthority),
    ...(metadata !== null && { metadata: metadata.key }),
    ...(mintMetadataId && { mintMetadataId }),
    ...(target !== null && { target }),
    ...(alternates.length > 0 && { alternates: alternates.map(({ key }) => key) }),
    ...(guid !== null && { guid }),
    ...(localName !== null && { localName }),
    ...(leaseUntil !== null && { leaseUntil: leaseUntil.toISOString() }),
    ...(onExisting !== 'return' && { onExisting }),
  };
}

function contradiction(pointer: string, detail: string): Problem {
  return new Problem('INVALID_REQUEST', detail, { errors: [{ pointer, detail }] });
}

function readGuid(text: string): string {
  const read = parseDceUuid(text);
  if (!read.ok) throw malformed({ ...read.fault, code: 'INVALID_GUID' }, '/guid');
  return formatDceUuid(read.value);
}

/** A suffix of any legal Handle (CID-02), but not none. */
function readLocalName(namingAuthority: string, text: string): string {
  const octets = Buffer.byteLength(text);
  if (octets > MAX_LOCAL_NAME_OCTETS) {
    throw contradiction('/localName', `has ${octets} octets in UTF-8, and at most ${MAX_LOCAL_NAME_OCTETS} are kept`);
  }
  const lead = namingAuthority.length + 1;
  const read = parseHandle(`${namingAuthority}/${text}`);
  if (!read.ok) throw malformed({ ...read.fault, offset: Math.max(0, read.fault.offset - lead) }, '/localName');
  if (text !== '') return text;
  const detail = 'a local name is not empty where it is registered (R-11)';
  throw malformed({ code: 'EMPTY_LOCAL_NAME', detail, offset: 0, rule: 'R-11' }, '/localName');
}
