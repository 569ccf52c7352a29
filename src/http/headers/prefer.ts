import { ApiHeader, textHeader } from '../../openapi/annotations.js';

/** `return=minimal` without its parameters. The name is case-insensitive, the value is not (RFC 7240 2). */
const MINIMAL = /^return\s*=\s*(?:minimal|"minimal")$/i;
const RETURN = /^return\s*(?:=|$)/i;

export interface Preferences {
  /** `return=minimal`: results have no representations. The first `return` counts (RFC 7240 2). Parameters are ignored. */
  readonly isMinimal: boolean;
  /** `summary`: the response to a stream ends with a line that counts its results. */
  readonly hasSummary: boolean;
}

/** Splits the header at commas, even within quoted strings, because no preference of this service has such a value. */
export function readPreferences(header = ''): Preferences {
  const preferences = header.split(',').map((preference) => (preference.split(';', 1)[0] ?? '').trim());
  const preference = preferences.find((text) => RETURN.test(text)) ?? '';
  const isMinimal = MINIMAL.test(preference) && preference.includes('minimal');
  return { isMinimal, hasSummary: preferences.some((text) => text.toLowerCase() === 'summary') };
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
  '`summary`: the last line of the response counts its results. The line is missing if the stream could not continue.';

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
