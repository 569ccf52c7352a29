import { type Resolver, WELL_KNOWN_RESOLVERS } from '../identifier/index.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';

/** Where a name may start in a path: behind a first segment, or behind the URL of a resolver. */
export interface Places {
  readonly firstSegments: ReadonlySet<string>;
  /** Hosts, with the port if it is not the default, in lower case. */
  readonly hosts: ReadonlySet<string>;
}

const places = new WeakMap<NamingAuthoritySnapshot, Places>();

/**
 * The first segments and hosts of the configured resolver, of the resolvers of naming authorities, and of the public
 * proxies. A naming authority whose resolver is this service under another name has its URIs resolved by this.
 */
export function placesOf(known: NamingAuthoritySnapshot): Places {
  const found = places.get(known) ?? read(known);
  places.set(known, found);
  return found;
}

function read(known: NamingAuthoritySnapshot): Places {
  const resolvers: readonly Resolver[] = [known.resolver, ...known.ownResolvers()];
  return {
    firstSegments: new Set(resolvers.flatMap(({ firstSegment }) => (firstSegment === null ? [] : [firstSegment]))),
    hosts: new Set([...WELL_KNOWN_RESOLVERS, ...resolvers.map(({ authority }) => authority)]),
  };
}
