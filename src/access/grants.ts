import { namingAuthorityKey } from '../identifier/index.js';

/** A naming authority that a key may touch, and whether those derived from it are meant too. */
export interface Grant {
  readonly namingAuthority: string;
  /** `100.102` covers `100.102.7` only when this is true. */
  readonly derived: boolean;
}

/** Whether grants cover a naming authority; null grants everything. ASCII letters of a prefix have no case. */
export function covers(grants: readonly Grant[] | null, namingAuthority: string): boolean {
  if (grants === null) return true;
  const wanted = namingAuthorityKey(namingAuthority);
  return grants.some(({ namingAuthority: prefix, derived }) => {
    const granted = namingAuthorityKey(prefix);
    return wanted === granted || (derived && wanted.startsWith(`${granted}.`));
  });
}
