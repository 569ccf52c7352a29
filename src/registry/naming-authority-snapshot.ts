import {
  type Context,
  type Handle,
  type KnownNamingAuthority,
  type Name,
  type Recognition,
  type RecognizeOptions,
  type Resolver,
  type Result,
  canonicalUri,
  namingAuthorityKey,
  omittedOf,
  parseHandle,
  recognize,
} from '@mintmark/identifier';
import { upperAscii } from './upper-ascii.js';
import { Problem } from '../problem/problem.js';
import { type Digest, digestOf } from './uuid.js';
import {
  type MetadataIdScheme,
  type NamingAuthority,
  type NamingAuthorityProfile,
  isCaseInsensitiveByRule,
} from './naming-authority.js';
import { type CanonicalName, canonicalNameOf } from './canonical-name.js';
import { withoutOtherSchemes } from './name-schemes.js';

/**
 * The unique value of an identifier in its naming authority: the GUID, or for another local name `localKey`, the digest of `comparison`.
 * `comparison` is the local name, in upper case if the naming authority ignores the case of ASCII letters.
 */
export type Address = { readonly namingAuthority: string } & (
  | { readonly guid: string; readonly localKey: null; readonly comparison: null; readonly foldsCase: false }
  | { readonly guid: null; readonly localKey: Digest; readonly comparison: string; readonly foldsCase: boolean }
);

/** A naming authority of this service, and where a name is or could be registered under it. */
export interface Place {
  readonly namingAuthority: string;
  /** Null for a name that no identifier of the naming authority can have. */
  readonly address: Address | null;
}

export interface LatestAuthorities {
  readonly latest: NamingAuthoritySnapshot | null;
  /** Whether `latest` was read at most a second ago. */
  readonly isCurrent: boolean;
}

/** A snapshot of the naming authorities, and the parsing rules that depend on them. */
export class NamingAuthoritySnapshot {
  private readonly byKey: ReadonlyMap<string, NamingAuthority>;
  private readonly options: RecognizeOptions & Context;
  private readonly asHandles: RecognizeOptions;
  private readonly views = new WeakMap<object, NamingAuthoritySnapshot>();
  private resolvers: readonly Resolver[] | null = null;
  private isAnyOpaque: boolean | null = null;
  private listed: readonly string[] | null = null;

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
    this.options = { resolver, resolvers: () => this.ownResolvers(), namingAuthorityOf: (prefix) => this.find(prefix) };
    this.asHandles = { ...this.options, namingAuthorityOf: () => ({ profile: 'handle' }) };
  }

  seenBy(reader: object, sees: (prefix: string) => boolean): NamingAuthoritySnapshot {
    const view = this.views.get(reader) ?? new NamingAuthoritySnapshot(this, this.resolver, sees);
    this.views.set(reader, view);
    return view;
  }

  /** Restricts a later snapshot to what the principal of this one sees. */
  viewOf(latest: NamingAuthoritySnapshot): NamingAuthoritySnapshot {
    return this.sees === null ? latest : latest.seenBy(this.sees, this.sees);
  }

  all(): NamingAuthority[] {
    return [...this.byKey.values()].filter(({ prefix }) => this.canSee(prefix));
  }

  get prefixes(): readonly string[] {
    this.listed ??= this.all().map(({ prefix }) => prefix);
    return this.listed;
  }

  find(prefix: string): NamingAuthority | undefined {
    return this.canSee(prefix) ? this.registered(prefix) : undefined;
  }

  /** How metadata IDs under a prefix are read; "recognized" for an unknown or hidden prefix. */
  metadataIdScheme(prefix: string): MetadataIdScheme {
    return this.find(prefix)?.metadataIdScheme ?? 'recognized';
  }

  /** The metadata ID scheme of the naming authority of an identifier in any form. */
  metadataIdSchemeOf(identifier: string): MetadataIdScheme {
    const prefix = this.prefixIn(identifier);
    return prefix === undefined ? 'recognized' : this.metadataIdScheme(prefix);
  }

  get hasOpaqueMetadataIds(): boolean {
    this.isAnyOpaque ??= this.all().some(({ metadataIdScheme }) => metadataIdScheme === 'any');
    return this.isAnyOpaque;
  }

  /** Whether the principal can see a naming authority, which may not exist. */
  canSee(prefix: string): boolean {
    return this.sees === null || this.sees(prefix);
  }

  /** Unknown or hidden prefixes in texts of any form. */
  unknownPrefixes(texts: readonly string[]): string[] {
    return texts.flatMap((text) => this.prefixIn(text) ?? []).filter((prefix) => this.find(prefix) === undefined);
  }

  private prefixIn(text: string): string | undefined {
    const read = this.recognize(text);
    return read.ok && 'namingAuthority' in read.value.name ? read.value.name.namingAuthority : undefined;
  }

  /** The resolver of the HTTP URI of a name (URI-36). */
  resolverOf(name: Name): Resolver {
    const own = 'namingAuthority' in name ? this.find(name.namingAuthority)?.resolver : null;
    return own ?? this.resolver;
  }

  /** The rules by which `normalize` reads a text, with the rules that the client states. A stated resolver is the only one that applies. */
  contextOf(stated?: Context): Context {
    if (stated === undefined) return this.options;
    const { resolver } = stated;
    if (resolver === undefined) return { ...this.options, ...stated, resolver: this.resolver };
    const namingAuthorityOf = (prefix: string): KnownNamingAuthority | undefined => {
      const found = this.find(prefix);
      return found && { ...found, resolver: null };
    };
    return { ...stated, namingAuthorityOf };
  }

  /** Recognizes a text in any form. `isbn:…` and similar schemes are not recognized as Fedora PIDs. */
  recognize(text: string): Recognition {
    return withoutOtherSchemes(text, recognize(text, this.options));
  }

  /**
   * The Handle of a text with trailing white space in its local name, which `recognize` would remove.
   * @returns null for other texts, and if no local name of the naming authority can have white space.
   */
  exactHandle(text: string): { readonly name: Handle; readonly address: Address } | null {
    const trimmed = text.trimEnd();
    if (trimmed.length === text.length) return null;
    const read = this.recognize(trimmed);
    if (!read.ok || read.value.name.type !== 'handle' || omittedOf(read.value.parts).length > 0) return null;
    const { namingAuthority, localName } = read.value.name;
    const authority = this.find(namingAuthority);
    const exact = parseHandle(`${namingAuthority}/${localName}${text.slice(trimmed.length)}`, { charset: 'unicode' });
    if (authority?.profile !== 'handle' || !exact.ok) return null;
    return { name: exact.value, address: addressIn(authority, exact.value.localName) };
  }

  /**
   * Parses a name in any form, by the naming authorities that the principal sees. A hidden naming authority is treated like an unknown one,
   * except that the canonical text keeps the letters of its local names. The key is the same for all principals.
   */
  readName(text: string): Result<{ name: Name } & CanonicalName> {
    const read = this.recognize(text);
    if (!read.ok) return read;
    const { name } = read.value;
    const named = this.canonicalName(name);
    // With the profile "handle", the naming authority must be hidden, because under a visible one, the name would be read as a Handle.
    if (name.type !== 'cordra' || this.registered(name.namingAuthority)?.profile !== 'handle')
      return { ...read, value: { name, ...named } };
    return { ...read, value: { name, ...named, canonical: canonicalUri(this.handleIn(text) ?? name) } };
  }

  /** Like `readName`, for an alternate: the canonical text of a foreign name keeps the letters that were sent. */
  readAlternate(text: string): Result<{ name: Name } & CanonicalName> {
    const read = this.readName(text);
    if (!read.ok || read.value.name.type !== 'cordra') return read;
    const { namingAuthority, guid } = read.value.name;
    if (this.find(namingAuthority) !== undefined) return read;
    const letters = this.handleIn(text)?.localName.slice(0, guid.length) ?? guid;
    const start = `hdl:${namingAuthority}/`;
    const canonical = start + letters + canonicalUri(read.value.name).slice(start.length + guid.length);
    return { ...read, value: { ...read.value, canonical } };
  }

  /** The key and the canonical text of a name. The key of a CORDRA identifier excludes its query and fragment. */
  canonicalName(name: Name): CanonicalName {
    if (name.type !== 'handle') return canonicalNameOf(name, { foldsCase: false });
    const { namingAuthority: prefix } = name;
    const byRule = isCaseInsensitiveByRule(prefix);
    const [shown, registered] = [this.find(prefix), this.registered(prefix)];
    return canonicalNameOf(name, {
      foldsCase: shown?.caseInsensitive ?? byRule,
      keyFoldsCase: registered?.caseInsensitive ?? byRule,
      isForeign: shown === undefined,
      isCordra: registered?.profile === 'cordra',
    });
  }

  /** The address of a name read by this snapshot; null for a foreign or hidden naming authority, a Fedora name or a UUID. */
  locate(name: Name): Address | null {
    if (name.type !== 'cordra' && name.type !== 'handle') return null;
    const authority = this.find(name.namingAuthority);
    return authority === undefined ? null : addressIn(authority, name.type === 'cordra' ? name.guid : name.localName);
  }

  /** The place of a name; undefined if its naming authority is foreign or hidden. */
  placeOf(name: Name): Place | undefined {
    const address = this.locate(name);
    if (address === null) return undefined;
    const isPossible = name.type !== 'handle' || name.localName !== '';
    return { namingAuthority: address.namingAuthority, address: isPossible ? address : null };
  }

  /** Reads a text as a Handle with unchanged letters, under any naming authority. */
  private handleIn(text: string): Handle | null {
    const read = recognize(text, this.asHandles);
    return read.ok && read.value.name.type === 'handle' ? read.value.name : null;
  }

  private registered(prefix: string): NamingAuthority | undefined {
    return this.byKey.get(namingAuthorityKey(prefix));
  }

  /** The resolvers of naming authorities. They are computed on first use, because each API key has a snapshot and few texts are URLs. */
  ownResolvers(): readonly Resolver[] {
    if (this.resolvers !== null) return this.resolvers;
    const own = this.all().flatMap(({ resolver }) => resolver ?? []);
    this.resolvers = [...new Map(own.map((each) => [each.prefix, each])).values()];
    return this.resolvers;
  }
}

/** @throws Problem UNKNOWN_NAMING_AUTHORITY or SUSPENDED_NAMING_AUTHORITY */
export function activeIn(known: NamingAuthoritySnapshot, prefix: string): NamingAuthority {
  const found = known.find(prefix);
  const errorsOf = (detail: string) => ({ errors: [{ pointer: '/namingAuthority', detail }] });
  if (found === undefined) {
    const detail = `The naming authority "${prefix}" does not exist; an operator must create it first.`;
    throw new Problem('UNKNOWN_NAMING_AUTHORITY', detail, errorsOf(`no naming authority "${prefix}" exists`));
  }
  if (found.state !== 'active') {
    const detail = `the naming authority "${prefix}" is suspended`;
    throw new Problem('SUSPENDED_NAMING_AUTHORITY', `T${detail.slice(1)}.`, errorsOf(detail));
  }
  return found;
}

/** @param localName under the profile "cordra" a GUID of 32 upper-case hexadecimal digits. */
export function addressIn(authority: NamingAuthority, localName: string): Address {
  const namingAuthority = authority.prefix;
  if (authority.profile === 'cordra') {
    return { namingAuthority, guid: localName, localKey: null, comparison: null, foldsCase: false };
  }
  const foldsCase = authority.caseInsensitive;
  const comparison = foldsCase ? upperAscii(localName) : localName;
  return { namingAuthority, guid: null, localKey: digestOf(comparison), comparison, foldsCase };
}

/** The profile under which an address was read. */
export function profileOf({ guid }: Address): NamingAuthorityProfile {
  return guid === null ? 'handle' : 'cordra';
}
