import type { Principal } from '../../access/principal.js';
import {
  formatDceUuid,
  namingAuthorityKey,
  parseDceUuid,
  parseHandle,
  parseNamingAuthority,
} from '../../identifier/index.js';
import { invalidRequest, malformed } from '../../problem/problem.js';
import { type Digest, digestOf } from '../../registry/digest.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { readAlternates, readMetadataId } from '../../registry/parse-names.js';
import { MAX_LOCAL_NAME_OCTETS } from '../../registry/canonical-name.js';
import { readLease } from './lease.js';
import type { MintRequestDto } from './mint-request.dto.js';
import { MintCommand } from '../../registry/mint-command.js';

/**
 * Parses the identifiers of a mint request.
 * @throws Problem with a syntax code, or INVALID_REQUEST.
 */
export function parseMintRequest(request: MintRequestDto, known: NamingAuthoritySnapshot): MintCommand {
  const { namingAuthority, metadataId, mintMetadataId = false, target = null, guid, localName } = request;
  if (metadataId !== undefined && mintMetadataId) {
    throw invalidRequest(
      '/mintMetadataId',
      'mintMetadataId and metadataId exclude each other: mintMetadataId creates a metadata ID, metadataId names an existing one',
    );
  }
  if (guid !== undefined && localName !== undefined) {
    throw invalidRequest('/localName', 'guid and localName exclude each other');
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

/** @throws Problem SCOPE_MISSING or NAMING_AUTHORITY_FORBIDDEN */
export function requireMinting(principal: Principal, { guid, localName, namingAuthority }: MintCommand): void {
  const scope = guid === null && localName === null ? 'mint' : 'register';
  principal.require(scope, namingAuthority, '/namingAuthority');
}

/**
 * The fingerprint of a request, equal for two notations of the same request. Defaults are omitted, so that members of
 * later versions do not change stored fingerprints.
 */
export function mintFingerprint(command: MintCommand): Digest {
  return digestOf(JSON.stringify(canonicalMint(command)));
}

/** The content of a request as canonical JSON. */
export function canonicalMint(command: MintCommand): object {
  const { namingAuthority, metadata, mintMetadataId, target, alternates, guid, localName, leaseUntil, onExisting } =
    command;
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

function readGuid(text: string): string {
  const read = parseDceUuid(text);
  if (!read.ok) throw malformed({ ...read.fault, code: 'INVALID_GUID' }, '/guid');
  return formatDceUuid(read.value);
}

/** A local name of any legal Handle (CID-02), but not an empty one. */
function readLocalName(namingAuthority: string, text: string): string {
  const octets = Buffer.byteLength(text);
  if (octets > MAX_LOCAL_NAME_OCTETS) {
    throw invalidRequest('/localName', `has ${octets} octets in UTF-8; at most ${MAX_LOCAL_NAME_OCTETS} are allowed`);
  }
  const lead = namingAuthority.length + 1;
  const read = parseHandle(`${namingAuthority}/${text}`);
  if (!read.ok) throw malformed({ ...read.fault, offset: Math.max(0, read.fault.offset - lead) }, '/localName');
  if (text !== '') return text;
  const detail = 'a registered identifier needs a local name that is not empty (R-11)';
  throw malformed({ code: 'EMPTY_LOCAL_NAME', detail, offset: 0, rule: 'R-11' }, '/localName');
}
