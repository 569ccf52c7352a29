import type { NamingAuthority } from '../registry/naming-authority.js';

/** The rules of the names under a naming authority, as sentences for somebody whose name is not registered. */
export function rulesOf({ profile, caseInsensitive }: NamingAuthority): string[] {
  if (profile === 'cordra') {
    return ['Under this prefix a local name has exactly 32 of the digits 0-9 and the letters A-F.'];
  }
  return caseInsensitive ? [] : ['Capital and small letters are different in the names under this prefix.'];
}
