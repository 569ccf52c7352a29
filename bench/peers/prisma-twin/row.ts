import { createHash, randomUUID } from 'node:crypto';
import type { Prisma } from '../../../src/database/generated/client.js';
import type { MintDto } from './mint.dto.js';

/** What a mint writes, through Prisma's client: the same columns as `insertRows` of bench/rows.js. */
export function rowOf(mint: MintDto, requestKey: string): Prisma.IdentifierCreateInput {
  return {
    authority: { connect: { prefix: mint.namingAuthority } },
    guid: randomUUID(),
    ...(mint.metadataId !== undefined && { metadataId: mint.metadataId, metadataKey: sha256(mint.metadataId) }),
    ...(mint.target !== undefined && { target: mint.target }),
    requestKey,
    requestIndex: 0,
    requestHash: sha256(JSON.stringify(mint)),
  };
}

function sha256(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(text).digest());
}
