import { createHash, randomUUID } from 'node:crypto';
import type { Prisma } from '../../../src/database/generated/client.js';
import type { MintDto } from './mint.dto.js';

/**
 * The row of a mint for Prisma's client, with the columns of `insertRows` in bench/rows.js but for the place in the log,
 * which needs the number of the transaction.
 */
export function rowOf(mint: MintDto, namingAuthorityId: number, requestKey: string): Prisma.IdentifierCreateInput {
  return {
    namingAuthorityId,
    guid: randomUUID(),
    ...(mint.metadataId !== undefined && { metadataId: mint.metadataId, metadataKey: sha256(mint.metadataId) }),
    ...(mint.target !== undefined && { target: mint.target }),
    client: 'anonymous',
    requestKey,
    requestIndex: 0,
    requestHash: sha256(JSON.stringify(mint)),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
