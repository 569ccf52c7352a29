import type { NamingAuthority } from '../registry/naming-authority.js';

/** What a reader can check about a name that is not registered. */
export function hintsFor(handle: string, authority: NamingAuthority): string[] {
  const slash = handle.indexOf('/');
  const localName = slash < 0 ? '' : handle.slice(slash + 1);
  const hints = ['Check that the name is complete and has no character of the text around it, such as a full stop.'];
  if (slash < 0 || localName === '')
    hints.push('A name is the prefix, "/" and a local name; this one has no local name.');
  else if (localName.endsWith('/')) hints.push('The name ends with "/". Try it without: the two are different names.');
  if (authority.profile === 'cordra') {
    hints.push('Under this prefix a local name has exactly 32 of the digits 0-9 and the letters A-F.');
  } else if (!authority.caseInsensitive && /[A-Za-z]/.test(localName)) {
    hints.push('Capital and small letters are different in the names under this prefix.');
  }
  return hints;
}
