/**
 * A text in, everything that is known about it out: the one entrance for callers that show rather than decide.
 *
 * With a kind the text is judged strictly; without one it is recognised.
 */
import { sameName } from './comparison-key.js';
import type { Name } from './types.js';
import type { Charset } from './grammar/handle-characters.js';
import { type Kind, readAs, type ReadingOptions, type Recognition } from './parse-as.js';
import { recognize } from './recognize.js';
import { listRepairs, type RepairCode } from './repairs.js';
import { isResolver, parseResolver, type Resolver, type ResolverConfig } from './resolver.js';
import type { Profile } from './forms/segments.js';
import { fail, type Result, type SyntaxFault } from './syntax-error.js';
import type { Parts } from './components.js';
import { type Unavailable, unavailableUris, type Uris, urisOf } from './convert.js';

/** How a text is judged. Every field has a default. */
export interface Context {
  /** For `hdl-uri`, `http-uri` and `info-hdl`. Without it a CORDRA identifier is read as one, anything else as `generic`. */
  readonly profile?: Profile | undefined;
  /** For `hdl-uri` in the profile `handle-scheme`. Default `naming-authority`. */
  readonly hdlAuthority?: 'naming-authority' | 'server' | undefined;
  /** Default `ucs2`. */
  readonly charset?: Charset | undefined;
  /** Whether local names are compared without the case of ASCII letters (HS-05). Default false. */
  readonly caseInsensitive?: boolean | undefined;
  /** The resolver that HTTP URIs are read from and written for (URI-36). Without it `uris.http` is null. */
  readonly resolver?: ResolverConfig | undefined;
  /** A second text of the same kind, to be compared with the first. */
  readonly equalTo?: string | undefined;
}

export interface Normalized {
  readonly input: string;
  readonly kind: Kind;
  readonly valid: true;
  /** The canonical text, in the same form as the input. */
  readonly normalized: string;
  readonly parts: Parts;
  /** The same name in the other forms. */
  readonly uris: Uris;
  /** For every null in `uris`, the number of the rule that forbids that form. */
  readonly unavailable: Unavailable;
  /** Whether both texts name the same thing; only when the context has `equalTo`. A malformed second text never does. */
  readonly equal?: boolean;
  /** Why `normalized` differs from the input. */
  readonly repairs: readonly RepairCode[];
  /** The thing named. */
  readonly name: Name;
}

export interface NotNormalized {
  readonly input: string;
  /** The kind that was asked for, or the one that the text came closest to, or null. */
  readonly kind: Kind | null;
  readonly valid: false;
  readonly fault: SyntaxFault;
}

/** Reads one text and tells everything about it. Never throws on any string. */
export function normalize(input: string, kind?: Kind, context: Context = {}): Normalized | NotNormalized {
  const resolver = resolverOf(context.resolver);
  if (resolver !== null && !resolver.ok) {
    const { code, offset, rule, detail } = resolver.fault;
    const fault = fail(code, offset, rule, `context.resolver.${detail}`).fault;
    return { input, kind: kind ?? null, valid: false, fault };
  }
  const options: ReadingOptions = { ...context, resolver: resolver?.value };
  const read = readFor(input, kind, options);
  if (!read.ok) return { input, kind: kind ?? read.kind, valid: false, fault: read.fault };
  const { name, normalized, parts } = read.value;
  const found: Normalized = {
    input,
    kind: read.value.kind,
    valid: true,
    normalized,
    parts,
    uris: urisOf(name, options.resolver ?? null),
    unavailable: unavailableUris(name, options.resolver ?? null),
    repairs: listRepairs(read.repairs),
    name,
  };
  if (context.equalTo === undefined) return found;
  const other = readFor(context.equalTo, kind, options);
  return { ...found, equal: other.ok && sameName(name, other.value.name, context) };
}

function readFor(input: string, kind: Kind | undefined, options: ReadingOptions): Recognition {
  if (kind === undefined) return recognize(input, options);
  const read = readAs(input, kind, options);
  return read.ok ? read : { ...read, kind };
}

function resolverOf(config: ResolverConfig | undefined): Result<Resolver> | null {
  if (config === undefined) return null;
  return isResolver(config) ? { ok: true, value: config, repairs: 0 } : parseResolver(config);
}
