import { Problem } from '../problem/problem.js';
import type { IdentifierRecord } from '../record/identifier-record.js';
import type { Address, KnownAuthorities } from '../record/known-authorities.js';
import { readMetadataId, replacementText } from '../record/read-names.js';

/** What is to be used instead of a withdrawn identifier. */
export interface Replacement {
  /** As a tombstone names it: `NA/local` for Handles and CORDRA identifiers, canonical for others. */
  readonly text: string;
  /** Where it is registered; null when its naming authority is not ours, and nobody here can tell whether it exists. */
  readonly address: Address | null;
}

/** @throws Problem with a syntax code when it is malformed. */
export function readReplacement(text: string, known: KnownAuthorities): Replacement {
  const { name, canonical } = readMetadataId(text, known, '/replacedBy');
  const address = known.locate(name, text, '/replacedBy');
  return { text: replacementText(name, canonical), address };
}

/** @throws Problem REPLACEMENT_NOT_FOUND unless the replacement is another identifier, and active. */
export function requireReplacement(replacement: IdentifierRecord | null, text: string | null, withdrawn: bigint): void {
  if (replacement?.state === 'active' && replacement.id !== withdrawn) return;
  const found = replacement?.id === withdrawn ? 'the identifier itself' : (replacement?.state ?? 'not registered');
  const detail = `${text ?? ''} is ${found}; what replaces an identifier is another one that is active`;
  throw new Problem('REPLACEMENT_NOT_FOUND', `${detail}.`, { errors: [{ pointer: '/replacedBy', detail }] });
}
