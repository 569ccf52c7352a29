import {
  type Handle,
  type Name,
  type Recognition,
  type RecognizeOptions,
  type Resolver,
  type Result,
  canonicalUri,
  comparisonKey,
  formatHandle,
  namingAuthorityKey,
  parseCordraId,
  recognize,
  registryKey,
  toCordraId,
} from '../identifier/index.js';
import { malformed } from '../problem/problem.js';
import { type Digest, digestOf } from './digest.js';
import { type NamingAuthority, isCaseInsensitiveByRule } from './naming-authority.js';
import type { StoredName } from './stored-name.js';

/** Where an identifier is registered: by its GUID, or by the key of any other local name. */
export type Address =
  | { readonly namingAuthority: string; readonly guid: string; readonly localKey: null }
  | { readonly namingAuthority: string; readonly guid: null; readonly localKey: Digest };

/**
 * The naming authorities as they were at a moment, and how names are read in their light: which local names are GUIDs,
 * which have no case, and which resolvers' URLs are understood.
 */
export class KnownAuthorities {
  private readonly byKey: ReadonlyMap<string, NamingAuthority>;
  private readonly options: RecognizeOptions;

  /** @param resolver the resolver of naming authorities that have none of their own. */
  constructor(
    authorities: Iterable<NamingAuthority>,
    readonly resolver: Resolver,
  ) {
    this.byKey = new Map([...authorities].map((authority) => [namingAuthorityKey(authority.prefix), authority]));
    const own = [...this.byKey.values()].flatMap((authority) => authority.resolver ?? []);
    this.options = {
      resolver,
      resolvers: [...new Map(own.map((each) => [each.prefix, each])).values()],
      anyLocalName: (prefix) => this.find(prefix)?.profile === 'handle',
    };
  }

  all(): NamingAuthority[] {
    return [...this.byKey.values()];
  }

  find(prefix: string): NamingAuthority | undefined {
    return this.byKey.get(namingAuthorityKey(prefix));
  }

  /** The resolver that a name's HTTP URI is written for (URI-36). */
  resolverOf(name: Name): Resolver {
    const own = 'namingAuthority' in name ? this.find(name.namingAuthority)?.resolver : null;
    return own ?? this.resolver;
  }

  /** Reads a text in any spelling. */
  recognize(text: string): Recognition {
    return recognize(text, this.options);
  }

  /** Reads a metadata ID or an alternate identifier in any spelling. */
  readName(text: string): Result<{ name: Name } & StoredName> {
    const read = this.recognize(text);
    if (!read.ok) return read;
    const { name } = read.value;
    return { ...read, value: { name, ...this.storedName(name) } };
  }

  /**
   * A name as it is stored. The key of a CORDRA identifier leaves out its query and fragment: they name no other record
   * (R-24).
   */
  storedName(name: Name): StoredName {
    const named = name.type === 'cordra' ? toCordraId(registryKey(name)) : name;
    const caseInsensitive = name.type === 'handle' && this.isCaseInsensitive(name.namingAuthority);
    return { canonical: canonicalUri(name), key: digestOf(comparisonKey(named, { caseInsensitive })) };
  }

  /** Where the identifier that a naming authority of ours gives by a local name is registered. */
  addressOf(authority: NamingAuthority, localName: string): Address {
    const namingAuthority = authority.prefix;
    if (authority.profile === 'cordra') return { namingAuthority, guid: localName, localKey: null };
    const folded = authority.caseInsensitive ? localName.replace(/[a-z]+/g, (run) => run.toUpperCase()) : localName;
    return { namingAuthority, guid: null, localKey: digestOf(folded) };
  }

  /**
   * Where the identifier of a name is registered; null when it cannot be, because its naming authority is not ours.
   * @throws Problem with a syntax code: under a naming authority of ours whose local names are GUIDs, another local name
   * is a slip (CID-10).
   */
  locate(name: Name, text: string, pointer: string): Address | null {
    if (name.type !== 'cordra' && name.type !== 'handle') return null;
    const authority = this.find(name.namingAuthority);
    if (authority === undefined) return null;
    if (name.type === 'cordra') return this.addressOf(authority, name.guid);
    if (authority.profile === 'cordra') throw slip(name, text, pointer);
    return this.addressOf(authority, name.localName);
  }

  private isCaseInsensitive(prefix: string): boolean {
    return this.find(prefix)?.caseInsensitive ?? isCaseInsensitiveByRule(prefix);
  }
}

function slip(handle: Handle, text: string, pointer: string): Error {
  const native = formatHandle(handle);
  const strict = parseCordraId(native);
  if (strict.ok) throw new TypeError(`${native} is a CORDRA identifier and was read as another Handle`);
  // The fault is counted in the native text; where the request spells it otherwise, only its start can be told.
  const start = text.indexOf(native);
  return malformed({ ...strict.fault, offset: start < 0 ? 0 : start + strict.fault.offset }, pointer);
}
