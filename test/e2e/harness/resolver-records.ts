import { expect } from '@jest/globals';
import type { Client } from './client.js';
import { NEXT_YEAR } from './reservations.js';

export const TARGET = 'https://repo.example.org/objects/7';
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Records of each kind that a resolver tells apart: with and without a target, withdrawn and reserved. */
export interface ResolverRecords {
  readonly active: string;
  readonly bare: string;
  readonly withdrawn: string;
  readonly reserved: string;
}

/** Registers them, and the naming authorities 20 (of the profile "cordra"), 20.500 and Ark. */
export async function registerRecords(client: Client): Promise<ResolverRecords> {
  for (const namingAuthority of ['20', '20.500', 'Ark']) {
    const profile = namingAuthority === '20' ? 'cordra' : 'handle';
    expect((await client.post('/naming-authorities', { namingAuthority, profile })).status).toBe(201);
  }
  const minted = async (fields: object) => (await client.mint(fields)).body.identifier as string;
  const active = await minted({ target: TARGET, metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA' });
  const bare = await minted({});
  const reserved = await minted({ target: TARGET, state: 'reserved', leaseUntil: NEXT_YEAR });
  const withdrawn = await minted({ target: TARGET });
  const gone = await client.post(`/identifiers/${withdrawn}/withdraw`, {
    reason: 'Deposited <twice>.',
    replacedBy: active,
  });
  expect(gone.status).toBe(200);
  await client.mint({ namingAuthority: 'Ark', localName: 'x', target: TARGET });
  return { active, bare, withdrawn, reserved };
}
