import { namingAuthorityKey } from '../../../identifier/index.js';
import { Problem } from '../../../problem/problem.js';
import type { NamingAuthoritySnapshot } from '../../../registry/naming-authority-snapshot.js';
import type { MintCommand } from '../../../registry/mint-command.js';

/** Finds items that conflict with an earlier item of the request. */
export class Duplicates {
  private readonly seen = new Map<string, number>();

  constructor(private readonly known: NamingAuthoritySnapshot) {}

  /**
   * @returns DUPLICATE_IN_REQUEST with a pointer into the item and the index of the other one; null without a conflict.
   */
  find(command: MintCommand, index: number): Problem | null {
    const claims = claimsOf(command, this.known);
    const conflicts = claims.find(({ key }) => this.seen.has(key));
    for (const { key } of claims) if (!this.seen.has(key)) this.seen.set(key, index);
    if (conflicts === undefined) return null;
    const other = this.seen.get(conflicts.key) ?? index;
    const detail = `conflicts with item ${other} of the request (counted from 0)`;
    return new Problem('DUPLICATE_IN_REQUEST', `${conflicts.pointer}: ${detail}.`, {
      errors: [{ pointer: conflicts.pointer, detail }],
      members: { duplicateOf: other },
    });
  }
}

function claimsOf(
  { namingAuthority, metadata, guid, localName, alternates }: MintCommand,
  known: NamingAuthoritySnapshot,
) {
  const under = namingAuthorityKey(namingAuthority);
  const authority = known.find(namingAuthority);
  const localKey =
    authority === undefined || localName === null ? null : known.addressOf(authority, localName).localKey;
  return [
    ...(metadata === null ? [] : [{ pointer: '/metadataId', key: `metadata ${under} ${metadata.key}` }]),
    ...(guid === null ? [] : [{ pointer: '/guid', key: `local ${under} ${guid}` }]),
    ...(localName === null ? [] : [{ pointer: '/localName', key: `local ${under} ${localKey ?? localName}` }]),
    ...alternates.map(({ key }, index) => ({
      pointer: `/alternateIds/${index}`,
      key: `alternate ${under} ${key}`,
    })),
  ];
}
