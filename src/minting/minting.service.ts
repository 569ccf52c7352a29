import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CordraId, type Handle, parseCordraId, toHandle } from '../identifier/index.js';
import { Problem } from '../problem/problem.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import type { IdentifierRecord } from '../record/identifier-record.js';
import { IdentifierWriter, type Inserted } from '../record/identifier-writer.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { compactGuid } from '../record/rows.js';
import { type StoredName, storedName } from '../record/stored-name.js';
import { GuidSource } from './guid-source.js';
import { type MintOrder, orderHash } from './mint-order.js';

/** How often a mint is tried again with new GUIDs. Two random GUIDs never meet; a broken random source would. */
const MAX_ATTEMPTS = 5;

/** What became of a mint. */
export type Minted =
  | ({ readonly outcome: 'created' } & Inserted)
  | {
      /** `replayed`: the same Idempotency-Key minted it before; `existing`: its metadata ID was known before. */
      readonly outcome: 'replayed' | 'existing';
      readonly record: IdentifierRecord;
      readonly metadataRecord: IdentifierRecord | null;
    };

/**
 * Mints exactly once. The database's unique indexes decide in the statement that mints; only when they leave a row out
 * does a second look find which law was met. Nothing is checked before the insert, so no two requests can slip through
 * together.
 */
@Injectable()
export class MintingService {
  constructor(
    private readonly writer: IdentifierWriter,
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorities,
    private readonly guids: GuidSource,
  ) {}

  /**
   * @param requestKey the Idempotency-Key, if the request has one.
   * @throws Problem IDEMPOTENCY_KEY_REUSED, UNKNOWN_NAMING_AUTHORITY, SUSPENDED_NAMING_AUTHORITY, METADATA_ID_TAKEN or
   * GUID_TAKEN
   */
  async mint(order: MintOrder, requestKey?: string): Promise<Minted> {
    const request = requestKey === undefined ? null : { key: requestKey, hash: orderHash(order) };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const guid = order.guid ?? this.guids.next();
      const metadataGuid = order.mintMetadataId ? this.guids.next() : null;
      const metadata = metadataGuid === null ? order.metadata : storedId(order.namingAuthority, metadataGuid);
      const ownKey = storedId(order.namingAuthority, guid).key;
      const inserted = await this.writer.insert({ ...order, guid, ownKey, metadata, metadataGuid, request });
      if (inserted !== null) return { outcome: 'created', ...inserted };
      const settled = await this.findWhatWasMet(order, request);
      if (settled !== null) return settled;
      // Only a GUID of ours can have been in the way: nobody asked for it, so another one serves as well.
    }
    throw new Error(`${MAX_ATTEMPTS} mints in a row met GUIDs that exist; the random source repeats itself`);
  }

  private async findWhatWasMet(
    order: MintOrder,
    request: { key: string; hash: Uint8Array } | null,
  ): Promise<Minted | null> {
    if (request !== null) {
      const replayed = await this.replay(request);
      if (replayed !== null) return replayed;
    }
    await this.authorities.requireActive(order.namingAuthority);
    if (order.metadata !== null) {
      const existing = await this.reader.findDescribed(order.namingAuthority, order.metadata.key);
      if (existing !== null) return this.settleExisting(order, existing);
    }
    if (order.guid !== null) {
      const existing = await this.reader.find(order.namingAuthority, order.guid);
      if (existing !== null) throw taken('GUID_TAKEN', 'This GUID is registered', existing, '/guid');
    }
    return null;
  }

  private async replay(request: { key: string; hash: Uint8Array }): Promise<Minted | null> {
    const earlier = await this.reader.findByRequest(request.key);
    const [record, metadataRecord = null] = earlier?.records ?? [];
    if (earlier === null || record === undefined) return null;
    if (timingSafeEqual(earlier.hash, request.hash)) return { outcome: 'replayed', record, metadataRecord };
    throw new Problem(
      'IDEMPOTENCY_KEY_REUSED',
      'An earlier request with this Idempotency-Key asked for something else; give each new request a new key.',
      { errors: [{ pointer: '#header/Idempotency-Key', detail: 'used before with another body' }] },
    );
  }

  private settleExisting(order: MintOrder, existing: IdentifierRecord): Minted {
    // Answering another identifier than the one to be registered would look like success.
    const isOther = order.guid !== null && order.guid !== existing.guid;
    if (order.onExisting === 'return' && !isOther)
      return { outcome: 'existing', record: existing, metadataRecord: null };
    throw taken('METADATA_ID_TAKEN', 'This metadata ID describes an identifier', existing, '/metadataId');
  }
}

/** The identifier that a GUID makes, as a metadata ID is stored. */
function storedId(namingAuthority: string, guid: string): StoredName {
  // A naming authority of letters exists as a Handle's prefix, though nothing is minted under it here.
  return storedName(toHandleOrCordraId(`${namingAuthority}/${compactGuid(guid)}`));
}

function toHandleOrCordraId(text: string): CordraId | Handle {
  const read = parseCordraId(text);
  return read.ok ? read.value : toHandle(text);
}

function taken(
  code: 'GUID_TAKEN' | 'METADATA_ID_TAKEN',
  what: string,
  existing: IdentifierRecord,
  pointer: string,
): Problem {
  const identifier = `${existing.namingAuthority}/${existing.guid}`;
  const path = `/identifiers/${identifier}`;
  return new Problem(code, `${what} already: ${identifier}.`, {
    errors: [{ pointer, detail: `belongs to ${identifier}` }],
    members: { existing: path },
    headers: { link: `<${path}>; rel="related"` },
  });
}
