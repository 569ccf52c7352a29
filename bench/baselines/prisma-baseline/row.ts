import { createHash, randomUUID } from 'node:crypto';
import type { Prisma } from '../../../src/database/generated/client.js';
import type { MintDto } from './mint.dto.js';

/**
 * The row of a mint, through Prisma's client: the same columns as `insertRows` of bench/rows.js. The twin writes no history,
 * which would take a second statement and a transaction: it does less than the service.
 */
export function rowOf(mint: MintDto, requestKey: string): Prisma.IdentifierCreateInput {
  return {
    namingAuthority: mint.namingAuthority,
    guid: randomUUID(),
    ...(mint.metadataId !== undefined && { metadataId: mint.metadataId, metadataKey: sha256(mint.metadataId) }),
    ...(mint.target !== undefined && { target: mint.target }),
    client: 'anonymous',
    requestKey,
    requestIndex: 0,
    requestHash: sha256(JSON.stringify(mint)),
  };
}

function sha256(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(text).digest());
}
