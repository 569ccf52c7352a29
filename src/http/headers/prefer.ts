import { ApiHeader, textHeader } from '../../openapi/annotations.js';

const MINIMAL = /^[ \t]*return[ \t]*=[ \t]*(?:minimal|"minimal")[ \t]*$/i;
const RETURN = /^[ \t]*return[ \t]*(?:=|$)/i;

const SUMMARY = /^[ \t]*summary[ \t]*$/i;

export interface Preferences {
  /** `return=minimal`: results have no representations. The first `return` counts (RFC 7240 2). Parameters are ignored. */
  readonly isMinimal: boolean;
  /** `summary`: the response to a stream ends with a line that counts its results. */
  readonly hasSummary: boolean;
}

export function readPreferences(header: string | undefined): Preferences {
  const preferences = preferencesOf(header ?? '');
  const preference = preferences.find((text) => RETURN.test(text));
  // The name is case-insensitive, the value is not (RFC 7240 2).
  const isMinimal = preference !== undefined && MINIMAL.test(preference) && preference.includes('minimal');
  return { isMinimal, hasSummary: preferences.some((text) => SUMMARY.test(text)) };
}

function preferencesOf(header: string): string[] {
  const preferences: string[] = [];
  let start = 0;
  let end = -1;
  let isQuoted = false;
  for (let at = 0; at <= header.length; at++) {
    const character = header[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === ';' && end < 0) end = at;
    if (at < header.length && (isQuoted || character !== ',')) continue;
    preferences.push(header.slice(start, end < 0 ? at : end));
    start = at + 1;
    end = -1;
  }
  return preferences;
}

/** The header with the applied preferences (RFC 7240 3), if any. */
export function preferenceApplied({ isMinimal = false, hasSummary = false }: Partial<Preferences>): {
  'preference-applied'?: string;
} {
  const applied = [...(isMinimal ? ['return=minimal'] : []), ...(hasSummary ? ['summary'] : [])];
  return applied.length === 0 ? {} : { 'preference-applied': applied.join(', ') };
}

const MINIMAL_TEXT = '`return=minimal` (RFC 7240): results contain no representation of the identifier.';
const SUMMARY_TEXT =
  '`summary`: the last line of the response counts its results. It is missing if the stream could not continue.';

export const ApiPrefer = (...preferences: readonly (keyof typeof PREFERENCES)[]): MethodDecorator =>
  ApiHeader({
    name: 'Prefer',
    required: false,
    description: preferences.map((name) => PREFERENCES[name]).join(' '),
    schema: { type: 'string' },
    example: preferences.join(', '),
  });

const PREFERENCES = { 'return=minimal': MINIMAL_TEXT, summary: SUMMARY_TEXT };

export const PREFERENCE_HEADER = {
  'Preference-Applied': textHeader('The preferences that the response follows (RFC 7240 3).'),
};
