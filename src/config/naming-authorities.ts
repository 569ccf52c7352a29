import { parseNamingAuthority } from '@mintmark/identifier';
import { entriesOf } from './addresses.js';

/** Maximum length of a configured naming authority, in characters. The syntax has no limit. */
const MAX_LENGTH = 255;

/** A naming authority that is created at start. */
export interface ConfiguredNamingAuthority {
  readonly prefix: string;
  readonly profile: 'cordra' | 'handle';
  readonly metadataIdScheme: 'recognized' | 'any';
}

const SETTINGS: ReadonlyMap<string, Omit<ConfiguredNamingAuthority, 'prefix'>> = new Map([
  ['cordra', { profile: 'cordra', metadataIdScheme: 'recognized' }],
  ['handle', { profile: 'handle', metadataIdScheme: 'recognized' }],
  ['cordra:any', { profile: 'cordra', metadataIdScheme: 'any' }],
  ['handle:any', { profile: 'handle', metadataIdScheme: 'any' }],
]);

/** Parses `NAMING_AUTHORITIES`, a comma-separated list of `prefix[:profile[:any]]`. Invalid entries are omitted. */
export function namingAuthoritiesOf(list: string): ConfiguredNamingAuthority[] {
  const byPrefix = new Map(namedIn(list).map(({ prefix, settings }) => [prefix, SETTINGS.get(settings)]));
  return [...byPrefix].flatMap(([prefix, settings]) => (settings === undefined ? [] : [{ prefix, ...settings }]));
}

/** The problems of `NAMING_AUTHORITIES`, one for each entry that is not valid. */
export function namingAuthorityProblems(list: string): string[] {
  const known = new Map<string, string>();
  return namedIn(list).flatMap(({ entry, prefix, settings }) => {
    const named = `NAMING_AUTHORITIES contains "${entry}", `;
    if (!parseNamingAuthority(prefix, { profile: 'cordra' }).ok || prefix.length > MAX_LENGTH) {
      return [
        `${named}which is not a sequence of digits separated by dots (CID-08) of at most ${MAX_LENGTH} characters; create another prefix with POST /naming-authorities`,
      ];
    }
    if (!SETTINGS.has(settings)) {
      return [
        `${named}whose profile is neither "cordra" nor "handle"; write it as ${prefix}:handle, or as ${prefix}:handle:any for any texts as metadata IDs`,
      ];
    }
    const other = known.get(prefix);
    known.set(prefix, settings);
    return other === undefined || other === settings ? [] : [`${named}and the same prefix with the profile "${other}"`];
  });
}

function namedIn(list: string): { entry: string; prefix: string; settings: string }[] {
  return entriesOf(list).map((entry) => {
    const [prefix = '', ...settings] = entry.split(':').map((part) => part.trim());
    return { entry, prefix, settings: settings.length === 0 ? 'cordra' : settings.join(':') };
  });
}
