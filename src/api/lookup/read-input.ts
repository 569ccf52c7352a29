import type { SyntaxCode, SyntaxFault } from '../../identifier/index.js';
import { Problem } from '../../problem/problem.js';
import type { SearchKey } from '../../storage/identifiers/identifier-search.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { isTarget } from '../../registry/target.js';
import type { LookupFaultDto } from './lookup.dto.js';
import { withoutDelimiters } from './pasted-text.js';

type ReadName =
  | {
      readonly searchKey: SearchKey;
      readonly canonical: string;
      readonly guid: string | null;
      /** Why it cannot be an identifier of its naming authority; it can still be an alternate. */
      readonly slip: LookupFaultDto | null;
    }
  | { readonly error: LookupFaultDto };

/** A search key with its canonical form, which is absent for a target. */
export interface Reading {
  readonly searchKey: SearchKey;
  readonly canonical?: string;
}

export interface ReadInput {
  readonly readings: readonly Reading[];
  readonly canonical?: string;
  /** Why the input as it stands is malformed, if it is. */
  readonly fault: LookupFaultDto | null;
}

/**
 * Parses an input as a name; as a name without delimiters; as a bare GUID; and as a target.
 * @param known the naming authorities that the principal can see.
 */
export function readInput(input: string, known: NamingAuthoritySnapshot): ReadInput {
  const asSent = readName(input, known);
  const trimmed = input.trim();
  const bare = withoutDelimiters(input);
  const texts = bare === trimmed || bare === '' ? [trimmed] : [trimmed, bare];
  const names = [asSent, ...texts.slice(1).map((text) => readName(text, known))].flatMap((name) =>
    'error' in name ? [] : [name],
  );
  const withGuid = names.find(({ guid }) => guid !== null);
  const targets = texts.filter((text) => text.length <= MAX_TARGET_LENGTH && isTarget(text));
  return {
    readings: [
      ...names,
      ...(withGuid?.guid ? [{ searchKey: { guid: withGuid.guid }, canonical: withGuid.canonical }] : []),
      ...targets.map((target) => ({ searchKey: { target } })),
    ],
    ...('error' in asSent ? { fault: asSent.error } : { fault: asSent.slip, canonical: asSent.canonical }),
  };
}

function readName(text: string, known: NamingAuthoritySnapshot): ReadName {
  const named = known.readWanted(text);
  if (!named.ok) return { error: faultOf(named.fault) };
  const { name, key, canonical } = named.value;
  const guid = name.type === 'uuid' ? name.hex : null;
  try {
    return { searchKey: { address: known.locate(name, text, ''), key }, canonical, guid, slip: null };
  } catch (error) {
    const [fault] = error instanceof Problem ? (error.extensions.errors ?? []) : [];
    if (fault?.code === undefined) throw error;
    const slip = { code: fault.code as SyntaxCode, detail: fault.detail, offset: fault.offset ?? 0 };
    return { searchKey: { key }, canonical, guid, slip };
  }
}

function faultOf({ code, detail, offset }: SyntaxFault): LookupFaultDto {
  return { code, detail, offset };
}
