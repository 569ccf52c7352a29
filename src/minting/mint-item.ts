import type { Caller } from '../access/caller.js';
import { readPart } from '../http/request-validation.js';
import { Problem } from '../problem/problem.js';
import { type Digest, digestOf } from '../record/digest.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import { MintItemDto } from './batch.dto.js';
import { type MintOrder, orderMeaning, readOrder, requireMinting } from './mint-order.js';

/** One of many mint requests, as it was read: what it asks for, or why nobody can tell. */
export interface MintItem {
  readonly clientRef: string | null;
  readonly asks: MintOrder | Problem;
  /** What it means, as JSON whose order is always the same; what cannot be read means itself. */
  readonly meaning: string;
}

/**
 * Reads one of many mint requests.
 * @param namingAuthority that of an item that names none.
 * @returns an item whose `asks` is a Problem with pointers into the item when its shape or its syntax is wrong, or the caller may not ask
 * for it.
 */
export function readItem(
  value: unknown,
  namingAuthority: string | undefined,
  known: KnownAuthorities,
  caller: Caller,
): MintItem {
  const clientRef = clientRefOf(value);
  try {
    const item = readPart(MintItemDto, value);
    const asks = readOrder({ ...item, namingAuthority: authorityOf(item, namingAuthority) }, known);
    requireMinting(caller, asks);
    return { clientRef, asks, meaning: JSON.stringify([clientRef, orderMeaning(asks)]) };
  } catch (error) {
    if (error instanceof Problem) return { clientRef, asks: error, meaning: JSON.stringify(['unread', value ?? null]) };
    throw error;
  }
}

/** The digest of what an item means. */
export function itemHash({ meaning }: MintItem): Digest {
  return digestOf(meaning);
}

function authorityOf(item: MintItemDto, byDefault: string | undefined): string {
  const namingAuthority = item.namingAuthority ?? byDefault;
  if (namingAuthority !== undefined) return namingAuthority;
  const detail = 'namingAuthority must be a string, here or for the whole request';
  throw new Problem('INVALID_REQUEST', `/namingAuthority: ${detail}`, {
    errors: [{ pointer: '/namingAuthority', detail }],
  });
}

/** Echoed even for an item that is refused, so that the client knows which. */
function clientRefOf(value: unknown): string | null {
  const { clientRef } = typeof value === 'object' && value !== null ? (value as Partial<MintItemDto>) : {};
  return typeof clientRef === 'string' && clientRef.length <= 255 ? clientRef : null;
}
