import { parseNamingAuthority } from '../identifier/index.js';

/** The longest configurable naming authority, in characters; the syntax has no limit. */
const MAX_LENGTH = 255;

/** A naming authority that is created at start. */
export interface ConfiguredNamingAuthority {
  readonly prefix: string;
  readonly profile: 'cordra' | 'handle';
}

/**
 * Parses `NAMING_AUTHORITIES`: prefixes, each with its profile after a colon unless that is "cordra", separated by commas.
 * The entries that are not valid are left to `namingAuthorityProblems`.
 */
export function namingAuthoritiesOf(list: string): ConfiguredNamingAuthority[] {
  const byEntry = new Map(entriesOf(list).map(({ prefix, profile }) => [`${prefix}:${profile}`, { prefix, profile }]));
  return [...byEntry.values()].map(({ prefix, profile }) => ({
    prefix,
    profile: profile === 'handle' ? 'handle' : 'cordra',
  }));
}

/** The problems of `NAMING_AUTHORITIES`, one for each entry that is not valid. */
export function namingAuthorityProblems(list: string): string[] {
  const profiles = new Map<string, string>();
  return entriesOf(list).flatMap(({ entry, prefix, profile }) => {
    const named = `NAMING_AUTHORITIES contains "${entry}", `;
    if (!parseNamingAuthority(prefix, 'cordra').ok || prefix.length > MAX_LENGTH) {
      return [
        `${named}which is not a sequence of digits separated by dots (CID-08) of at most ${MAX_LENGTH} characters; create another prefix with POST /naming-authorities`,
      ];
    }
    if (profile !== 'cordra' && profile !== 'handle') {
      return [`${named}whose profile is neither "cordra" nor "handle"; write it as ${prefix}:handle`];
    }
    const other = profiles.get(prefix);
    profiles.set(prefix, profile);
    return other === undefined || other === profile ? [] : [`${named}and the same prefix with the profile "${other}"`];
  });
}

function entriesOf(list: string): { entry: string; prefix: string; profile: string }[] {
  const entries = list.split(',').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [prefix = '', ...profile] = entry.split(':').map((part) => part.trim());
      return { entry, prefix, profile: profile.length === 0 ? 'cordra' : profile.join(':') };
    });
}
