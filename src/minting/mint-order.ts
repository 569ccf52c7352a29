import { createHash } from 'node:crypto';
import { type Name, type Resolver, formatDceUuid, parseDceUuid, parseNamingAuthority } from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import { MAX_STORED_OCTETS, type StoredName, readStoredName } from '../record/stored-name.js';
import type { MintRequestDto } from './mint-request.dto.js';

/** A mint request with every identifier read: what is asked for, free of spellings. */
export interface MintOrder {
  readonly namingAuthority: string;
  readonly metadata: StoredName | null;
  readonly mintMetadataId: boolean;
  readonly target: string | null;
  readonly alternates: readonly StoredName[];
  /** 32 hex digits in capitals of an identifier to register; null to mint one. */
  readonly guid: string | null;
  readonly onExisting: 'return' | 'reject';
}

/**
 * Reads the identifiers of a request.
 * @throws Problem with a syntax code for a malformed one, INVALID_REQUEST for a contradiction.
 */
export function readOrder(request: MintRequestDto, resolver: Resolver): MintOrder {
  const { namingAuthority, metadataId, mintMetadataId = false, target = null, guid, onExisting = 'return' } = request;
  if (metadataId !== undefined && mintMetadataId) {
    const detail =
      'mintMetadataId asks for a new metadata ID, and metadataId names an existing one: send only one of them';
    throw new Problem('INVALID_REQUEST', detail, { errors: [{ pointer: '/mintMetadataId', detail }] });
  }
  const authority = parseNamingAuthority(namingAuthority, 'handle');
  if (!authority.ok) throw malformed(authority.fault, '/namingAuthority');
  const registered = guid === undefined ? null : readGuid(guid);
  const metadata = metadataId === undefined ? null : readMetadataId(metadataId, resolver);
  if (registered !== null && metadata !== null) requireTwoThings(`${namingAuthority}/${registered}`, metadata.name);
  return {
    namingAuthority,
    metadata,
    mintMetadataId,
    target,
    alternates: readAlternates(request.alternateIds ?? [], resolver),
    guid: registered,
    onExisting,
  };
}

/**
 * SHA-256 of what a request means. A repeat in another spelling is the same request; a request for anything else is
 * not. Defaults are left out, so that a member that a later version adds changes no hash that is stored already.
 */
export function orderHash(order: MintOrder): Uint8Array {
  const { namingAuthority, metadata, mintMetadataId, target, alternates, guid, onExisting } = order;
  const hex = ({ key }: StoredName): string => Buffer.from(key).toString('hex');
  const meaning = {
    namingAuthority,
    ...(metadata !== null && { metadata: hex(metadata) }),
    ...(mintMetadataId && { mintMetadataId }),
    ...(target !== null && { target }),
    ...(alternates.length > 0 && { alternates: alternates.map(hex) }),
    ...(guid !== null && { guid }),
    ...(onExisting !== 'return' && { onExisting }),
  };
  return createHash('sha256').update(JSON.stringify(meaning)).digest();
}

/** An object and the record that describes it (CID-24); a query or fragment does not make two identifiers two. */
function requireTwoThings(identifier: string, metadata: Name): void {
  if (metadata.type !== 'cordra' || `${metadata.namingAuthority}/${metadata.guid}` !== identifier) return;
  const detail = 'the record that describes an object is another thing than the object (CID-24)';
  throw new Problem('METADATA_ID_IS_IDENTIFIER', detail, { errors: [{ pointer: '/metadataId', detail }] });
}

function readMetadataId(text: string, resolver: Resolver): StoredName & { name: Name } {
  const read = readStoredName(text, resolver);
  if (!read.ok) throw malformed(read.fault, '/metadataId');
  if (read.value.name.type === 'uuid') {
    const detail = 'a UUID alone does not say under which naming authority the record is; send the whole identifier';
    throw malformed({ code: 'MISSING_SEPARATOR', detail, offset: text.length, rule: 'CID-04' }, '/metadataId');
  }
  return { ...requireStorable(read.value, '/metadataId'), name: read.value.name };
}

function readAlternates(texts: readonly string[], resolver: Resolver): StoredName[] {
  const names = new Map<string, StoredName>();
  texts.forEach((text, index) => {
    const read = readStoredName(text, resolver);
    if (!read.ok) throw malformed(read.fault, `/alternateIds/${index}`);
    const name = requireStorable(read.value, `/alternateIds/${index}`);
    const key = Buffer.from(name.key).toString('hex');
    if (!names.has(key)) names.set(key, name);
  });
  return [...names.values()];
}

function requireStorable({ canonical, key }: StoredName, pointer: string): StoredName {
  if (canonical.length <= MAX_STORED_OCTETS) return { canonical, key };
  const detail = `in canonical spelling it has ${canonical.length} octets, and at most ${MAX_STORED_OCTETS} are kept`;
  throw new Problem('INVALID_REQUEST', detail, { errors: [{ pointer, detail }] });
}

function readGuid(text: string): string {
  const read = parseDceUuid(text);
  if (!read.ok) throw malformed({ ...read.fault, code: 'INVALID_GUID' }, '/guid');
  return formatDceUuid(read.value);
}
