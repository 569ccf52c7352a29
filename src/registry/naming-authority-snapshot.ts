import {
  type Handle,
  type Name,
  type Recognition,
  type RecognizeOptions,
  type Resolver,
  type Result,
  formatHandle,
  namingAuthorityKey,
  parseCordraId,
  recognize,
  upperAscii,
} from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import { type Digest, digestOf } from './digest.js';
import { type MetadataIdScheme, type NamingAuthority, isCaseInsensitiveByRule } from './naming-authority.js';
import { type CanonicalName, canonicalNameOf } from './canonical-name.js';

/**
 * The unique value of an identifier: its GUID, or the digest of `comparison`, which is any other local name, in upper case
 * if the naming authority ignores the case of ASCII letters.
 */
export type Address = { readonly namingAuthority: string } & (
  | { readonly guid: string; readonly localKey: null; readonly comparison: null; readonly foldsCase: false }
  | { readonly guid: null; readonly localKey: Digest; readonly comparison: string; readonly foldsCase: boolean }
);

/** A naming authority of this service, and where a name is registered under it or could be. */
export interface Place {
  readonly namingAuthority: string;
  /** Null for a name that no identifier of the naming authority can have. */
  readonly address: Address | null;
}

/** The naming authorities that were read last; a cache. */
export interface LatestAuthorities {
  readonly latest: NamingAuthoritySnapshot | null;
  /** Whether `latest` was read at most a second ago. */
  readonly isCurrent: boolean;
}

/** A snapshot of the naming authorities, and the parsing rules that depend on them. */
export class NamingAuthoritySnapshot {
  private readonly byKey: ReadonlyMap<string, NamingAuthority>;
  private readonly options: RecognizeOptions;
  private readonly nameOptions: RecognizeOptions;
  private readonly views = new WeakMap<object, NamingAuthoritySnapshot>();
  private resolvers: readonly Resolver[] | null = null;
  private isAnyOpaque: boolean | null = null;

  /** @param sees null for a principal that sees all naming authorities. */
  constructor(
    authorities: Iterable<NamingAuthority> | NamingAuthoritySnapshot,
    readonly resolver: Resolver,
    private readonly sees: ((prefix: string) => boolean) | null = null,
  ) {
    this.byKey =
      authorities instanceof NamingAuthoritySnapshot
        ? authorities.byKey
        : new Map([...authorities].map((authority) => [namingAuthorityKey(authority.prefix), authority]));
    const read = (find: (prefix: string) => NamingAuthority | undefined): RecognizeOptions => ({
      resolver,
      resolvers: () => this.ownResolvers(),
      anyLocalName: (prefix) => find(prefix)?.profile === 'handle',
    });
    this.options = read((prefix) => this.find(prefix));
    this.nameOptions = sees === null ? this.options : read((prefix) => this.registered(prefix));
  }

  seenBy(reader: object, sees: (prefix: string) => boolean): NamingAuthoritySnapshot {
    const view = this.views.get(reader) ?? new NamingAuthoritySnapshot(this, this.resolver, sees);
    this.views.set(reader, view);
    return view;
  }

  all(): NamingAuthority[] {
    const { sees } = this;
    const all = [...this.byKey.values()];
    return sees === null ? all : all.filter(({ prefix }) => sees(prefix));
  }

  find(prefix: string): NamingAuthority | undefined {
    const found = this.registered(prefix);
    return found === undefined || this.sees === null || this.sees(prefix) ? found : undefined;
  }

  /** How the metadata IDs of identifiers under a prefix are read; "recognized" for an unknown or hidden one. */
  metadataIdScheme(prefix: string): MetadataIdScheme {
    return this.find(prefix)?.metadataIdScheme ?? 'recognized';
  }

  /** As `metadataIdScheme`, of the naming authority of an identifier in any form. */
  metadataIdSchemeOf(identifier: string): MetadataIdScheme {
    const read = this.recognize(identifier);
    if (!read.ok || !('namingAuthority' in read.value.name)) return 'recognized';
    return this.metadataIdScheme(read.value.name.namingAuthority);
  }

  /** Whether a visible naming authority has the metadata ID scheme "any". */
  get hasOpaqueMetadataIds(): boolean {
    this.isAnyOpaque ??= this.all().some(({ metadataIdScheme }) => metadataIdScheme === 'any');
    return this.isAnyOpaque;
  }

  /** Whether the principal can see a naming authority, which need not exist. */
  canSee(prefix: string): boolean {
    return this.sees === null || this.sees(prefix);
  }

  /** The prefixes in texts of any form that are not known. */
  unknownPrefixes(texts: readonly string[]): string[] {
    return texts.flatMap((text) => {
      const read = this.recognize(text);
      if (!read.ok || !('namingAuthority' in read.value.name)) return [];
      const { namingAuthority } = read.value.name;
      return this.find(namingAuthority) === undefined ? [namingAuthority] : [];
    });
  }

  /** The resolver of the HTTP URI of a name (URI-36). */
  resolverOf(name: Name): Resolver {
    const own = 'namingAuthority' in name ? this.find(name.namingAuthority)?.resolver : null;
    return own ?? this.resolver;
  }

  /** Recognizes a text in any form. */
  recognize(text: string): Recognition {
    return recognize(text, this.options);
  }

  /** Parses a metadata ID or an alternate identifier in any form, as it is stored and compared. */
  readName(text: string): Result<{ name: Name } & CanonicalName> {
    const read = recognize(text, this.nameOptions);
    if (!read.ok) return read;
    const { name } = read.value;
    return { ...read, value: { name, ...this.canonicalName(name) } };
  }

  /** Parses a name for a look-up, by the visible naming authorities, with the key that all principals have. */
  readWanted(text: string): Result<{ name: Name } & CanonicalName> {
    const read = this.recognize(text);
    if (!read.ok) return read;
    const { name } = read.value;
    const shown = this.canonicalName(name);
    const named = this.sees === null ? null : this.readName(text);
    const { comparison, foldsCase, key } = named?.ok ? named.value : shown;
    return { ...read, value: { name, canonical: shown.canonical, comparison, foldsCase, key } };
  }

  /** A name as stored. The key of a CORDRA identifier excludes its query and fragment. */
  canonicalName(name: Name): CanonicalName {
    return canonicalNameOf(name, name.type === 'handle' && this.isCaseInsensitive(name.namingAuthority));
  }

  /**
   * The address of a name; null for a foreign naming authority.
   * @throws Problem with a syntax code for a local name that is not a GUID under the profile "cordra" (CID-10).
   */
  locate(name: Name, text: string, pointer: string): Address | null {
    if (name.type !== 'cordra' && name.type !== 'handle') return null;
    const authority = this.find(name.namingAuthority);
    if (authority === undefined) return null;
    if (name.type === 'cordra') return addressIn(authority, name.guid);
    if (authority.profile === 'cordra') throw slip(name, text, pointer);
    return addressIn(authority, name.localName);
  }

  /** The place of a name; undefined where its naming authority is not of this service, or hidden. */
  placeOf(name: Name): Place | undefined {
    if (name.type !== 'cordra' && name.type !== 'handle') return undefined;
    const authority = this.find(name.namingAuthority);
    if (authority === undefined) return undefined;
    const localName = name.type === 'cordra' ? name.guid : name.localName;
    const isPossible = localName !== '' && (name.type === 'cordra' || authority.profile === 'handle');
    return { namingAuthority: authority.prefix, address: isPossible ? addressIn(authority, localName) : null };
  }

  private isCaseInsensitive(prefix: string): boolean {
    return this.registered(prefix)?.caseInsensitive ?? isCaseInsensitiveByRule(prefix);
  }

  private registered(prefix: string): NamingAuthority | undefined {
    return this.byKey.get(namingAuthorityKey(prefix));
  }

  /** The resolvers of naming authorities. Computed on first use: each key has a snapshot, and few texts are URLs. */
  ownResolvers(): readonly Resolver[] {
    if (this.resolvers !== null) return this.resolvers;
    const { sees } = this;
    const having = [...this.byKey.values()].filter(({ resolver }) => resolver !== null);
    const own = having.filter(({ prefix }) => sees === null || sees(prefix)).flatMap(({ resolver }) => resolver ?? []);
    this.resolvers = [...new Map(own.map((each) => [each.prefix, each])).values()];
    return this.resolvers;
  }
}

/** @throws Problem UNKNOWN_NAMING_AUTHORITY or SUSPENDED_NAMING_AUTHORITY */
export function activeIn(known: NamingAuthoritySnapshot, prefix: string): NamingAuthority {
  const found = known.find(prefix);
  const errors = [{ pointer: '/namingAuthority', detail: `no naming authority "${prefix}" exists` }];
  if (found === undefined) {
    const detail = `The naming authority "${prefix}" does not exist; an operator must create it first.`;
    throw new Problem('UNKNOWN_NAMING_AUTHORITY', detail, { errors });
  }
  if (found.state !== 'active') {
    throw new Problem('SUSPENDED_NAMING_AUTHORITY', `The naming authority "${prefix}" is suspended.`, { errors });
  }
  return found;
}

/** The address of a local name: under the profile "cordra" a GUID of 32 upper-case hexadecimal digits. */
export function addressIn(authority: NamingAuthority, localName: string): Address {
  const namingAuthority = authority.prefix;
  if (authority.profile === 'cordra') {
    return { namingAuthority, guid: localName, localKey: null, comparison: null, foldsCase: false };
  }
  const foldsCase = authority.caseInsensitive;
  const comparison = foldsCase ? upperAscii(localName) : localName;
  return { namingAuthority, guid: null, localKey: digestOf(comparison), comparison, foldsCase };
}

function slip(handle: Handle, text: string, pointer: string): Error {
  const native = formatHandle(handle);
  const strict = parseCordraId(native);
  if (strict.ok) throw new TypeError(`${native} is a CORDRA identifier and was parsed as another Handle`);
  // The offset counts in the native text. In another notation only its start is known.
  const start = text.indexOf(native);
  return malformed({ ...strict.fault, offset: start < 0 ? 0 : start + strict.fault.offset }, pointer);
}
