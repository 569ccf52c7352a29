import { Problem } from '../../problem/problem.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { Address, NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { readReplacementName, replacementText } from '../../registry/parse-names.js';

/** The replacement of a withdrawn identifier. */
export interface Replacement {
  readonly text: string;
  /** Where it is registered; null when the principal cannot see the naming authority. */
  readonly address: Address | null;
  /** Its naming authority; null for a name without one. */
  readonly namingAuthority: string | null;
}

/**
 * @param known the naming authorities that the principal can see.
 * @throws Problem with a syntax code.
 */
export function readReplacement(text: string, known: NamingAuthoritySnapshot): Replacement {
  const { name, canonical } = readReplacementName(text, known, '/replacedBy');
  const address = known.locate(name, text, '/replacedBy');
  const namingAuthority = 'namingAuthority' in name ? name.namingAuthority : null;
  return { text: replacementText(name, canonical), address, namingAuthority };
}

/** @throws Problem REPLACEMENT_NOT_FOUND unless the replacement is a different, active identifier. */
export function requireReplacement(replacement: IdentifierRecord | null, text: string | null, withdrawn: bigint): void {
  if (replacement?.state === 'active' && replacement.id !== withdrawn) return;
  const found = replacement?.id === withdrawn ? 'the identifier itself' : (replacement?.state ?? 'not registered');
  const detail = `replacedBy must name a different, active identifier; ${text ?? ''} is ${found}`;
  throw new Problem('REPLACEMENT_NOT_FOUND', `${detail}.`, { errors: [{ pointer: '/replacedBy', detail }] });
}
