import type { Principal } from '../../../access/principal.js';
import { readPart } from '../../../http/validation/request-validation.js';
import { Problem, invalidRequest } from '../../../problem/problem.js';
import { type Digest, digestOf } from '../../../registry/digest.js';
import type { NamingAuthoritySnapshot } from '../../../registry/naming-authority-snapshot.js';
import { MintItemDto } from './batch.dto.js';
import { canonicalMint, parseMintRequest, requireMinting } from '../mint-command.js';
import { type MintCommand } from '../../../registry/mint-command.js';

/** A parsed item: its command, or the problem. */
export interface MintItem {
  readonly clientRef: string | null;
  readonly command: MintCommand | Problem;
  /** The fingerprint source of the item: canonical JSON, or the item itself where it is invalid. */
  readonly canonical: string;
}

/**
 * Parses an item.
 * @param namingAuthority the default of the request.
 * @returns an item whose `asks` is a Problem with pointers into the item when it is invalid or not permitted.
 */
export function parseItem(
  value: unknown,
  namingAuthority: string | undefined,
  known: NamingAuthoritySnapshot,
  principal: Principal,
): MintItem {
  const clientRef = clientRefOf(value);
  try {
    const item = readPart(MintItemDto, value);
    const command = parseMintRequest({ ...item, namingAuthority: namingAuthorityOf(item, namingAuthority) }, known);
    requireMinting(principal, command);
    return { clientRef, command, canonical: JSON.stringify([clientRef, canonicalMint(command)]) };
  } catch (error) {
    if (error instanceof Problem)
      return { clientRef, command: error, canonical: JSON.stringify(['unread', value ?? null]) };
    throw error;
  }
}

/** The digest of what an item means. */
export function itemFingerprint({ canonical }: MintItem): Digest {
  return digestOf(canonical);
}

function namingAuthorityOf(item: MintItemDto, byDefault: string | undefined): string {
  const namingAuthority = item.namingAuthority ?? byDefault;
  if (namingAuthority !== undefined) return namingAuthority;
  const detail = 'namingAuthority must be a string, in the item or in the request';
  throw invalidRequest('/namingAuthority', detail, `/namingAuthority: ${detail}`);
}

/** Repeated in the result of an invalid item too, so that the client can match it. */
function clientRefOf(value: unknown): string | null {
  const { clientRef } = typeof value === 'object' && value !== null ? (value as Partial<MintItemDto>) : {};
  return typeof clientRef === 'string' && clientRef.length <= 255 ? clientRef : null;
}
