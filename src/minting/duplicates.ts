import { namingAuthorityKey } from '../identifier/index.js';
import { Problem } from '../problem/problem.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import type { MintOrder } from './mint-order.js';

/** Finds which items of one request ask for what an item before them asked for: then nobody can tell which is meant. */
export class Duplicates {
  private readonly seen = new Map<string, number>();

  constructor(private readonly known: KnownAuthorities) {}

  /**
   * Looks at one item more.
   * @returns DUPLICATE_IN_REQUEST with a pointer into the item and the index of the other one; null when it stands alone.
   */
  find(order: MintOrder, index: number): Problem | null {
    const claims = claimsOf(order, this.known);
    const met = claims.find(({ key }) => this.seen.has(key));
    for (const { key } of claims) if (!this.seen.has(key)) this.seen.set(key, index);
    if (met === undefined) return null;
    const other = this.seen.get(met.key) ?? index;
    const detail = `item ${other} of the request, counted from 0, has the same`;
    return new Problem('DUPLICATE_IN_REQUEST', `${met.pointer}: ${detail}.`, {
      errors: [{ pointer: met.pointer, detail }],
      members: { duplicateOf: other },
    });
  }
}

function claimsOf({ namingAuthority, metadata, guid, localName, alternates }: MintOrder, known: KnownAuthorities) {
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
