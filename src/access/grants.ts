import { namingAuthorityKey } from '../identifier/index.js';

/** A naming authority that a key covers, with or without those derived from it. */
export interface Grant {
  readonly namingAuthority: string;
  /** `100.102` covers `100.102.7` only when this is true. */
  readonly derived: boolean;
}

/** Whether grants cover a naming authority; null covers all. ASCII letters of a prefix are case-insensitive. */
export function covers(grants: readonly Grant[] | null, namingAuthority: string): boolean {
  if (grants === null) return true;
  const requested = namingAuthorityKey(namingAuthority);
  return grants.some(({ namingAuthority: prefix, derived }) => {
    const granted = namingAuthorityKey(prefix);
    return requested === granted || (derived && requested.startsWith(`${granted}.`));
  });
}
