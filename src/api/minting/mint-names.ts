import type { MintJob } from './minting.service.js';

/**
 * The values of a mint that another request can lock: its idempotency key, its metadata ID, its alternates and its
 * local name. Mints without a common value do not wait for each other.
 */
export function namesOf({ command, context: { actor, request } }: MintJob): string[] {
  const { namingAuthority, metadata, alternates, guid, localName } = command;
  const own = guid ?? localName;
  return [
    ...(request === null ? [] : [JSON.stringify(['request', actor.client, request.key, request.index])]),
    ...(metadata === null ? [] : [JSON.stringify(['metadata', namingAuthority, metadata.key])]),
    ...alternates.map(({ key }) => JSON.stringify(['alternate', namingAuthority, key])),
    ...(own === null ? [] : [JSON.stringify(['own', namingAuthority, own])]),
  ];
}
