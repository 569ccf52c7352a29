import { ApiHeader } from '../../openapi/annotations.js';

const MINIMAL = /^[ \t]*return[ \t]*=[ \t]*(?:minimal|"minimal")[ \t]*$/i;
const RETURN = /^[ \t]*return[ \t]*(?:=|$)/i;

/** Whether `Prefer` has `return=minimal`. The first `return` counts (RFC 7240 2); parameters are ignored. */
export function prefersMinimal(header: string | undefined): boolean {
  const preference = preferencesOf(header ?? '').find((text) => RETURN.test(text));
  // The name is case-insensitive, the value is not (RFC 7240 2).
  return preference !== undefined && MINIMAL.test(preference) && preference.includes('minimal');
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

export const MINIMAL_APPLIED = { 'preference-applied': 'return=minimal' } as const;

export const ApiPrefer = (): MethodDecorator =>
  ApiHeader({
    name: 'Prefer',
    required: false,
    description: '`return=minimal` (RFC 7240): results contain no representation of the identifier.',
    schema: { type: 'string' },
    example: 'return=minimal',
  });

export const PREFERENCE_HEADER = {
  'Preference-Applied': {
    description: '`return=minimal` when the response contains minimal results (RFC 7240 3).',
    schema: { type: 'string' as const, enum: ['return=minimal'] },
  },
};
