import type { Answer } from '../../harness/client.js';

/** A client with a key for some naming authorities, and a word that occurs only in its own data. */
export interface Tenant {
  readonly word: string;
  /** Its naming authorities, under any of which it mints. */
  readonly prefixes: readonly string[];
  readonly client: string;
  readonly scopes: readonly string[];
  readonly grants: readonly object[];
}

/**
 * The prefix of one tenant starts with the characters of that of another, without being derived from it. Only the last
 * tenant has a derived prefix, and a key of its own with the scope `admin`.
 */
export const TENANTS: readonly Tenant[] = [
  {
    word: 'aardvark',
    prefixes: ['100.4711'],
    client: 'client-aardvark',
    scopes: ['read', 'mint', 'register', 'curate'],
    grants: [{ namingAuthority: '100.4711' }],
  },
  {
    word: 'bittern',
    prefixes: ['300.47119'],
    client: 'client-bittern',
    scopes: ['read', 'mint', 'register', 'curate'],
    grants: [{ namingAuthority: '300.47119', derived: true }],
  },
  {
    word: 'civet',
    prefixes: ['300.4711', '300.4711.9'],
    client: 'client-civet',
    scopes: ['admin'],
    grants: [{ namingAuthority: '300.4711', derived: true }],
  },
];

const PREFIX = '300\\.47119|300\\.4711\\.9|300\\.4711|100\\.4711';

/**
 * The texts that identify an owner: identifiers, prefixes, words, GUIDs, and IDs of keys and reservations; longest
 * first.
 */
const TELLING = new RegExp(
  [
    `(${PREFIX})(?:/|%2F)([0-9A-F]{32})`,
    ...[PREFIX, ...TENANTS.map(({ word }) => word)],
    ...['[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}', '[0-9A-F]{32}'],
  ].join('|'),
  'gi',
);

function tellingIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(TELLING), ([found]) => found.toUpperCase().replace('%2F', '/')));
}

/** The same, with the components of identifiers. */
function allTellingIn(text: string): string[] {
  return [...tellingIn(text)].flatMap((telling) => [telling, ...telling.split('/')]);
}

/** Knows the owner of each text, and finds foreign data in responses. */
export class Ownership {
  private readonly owners = new Map<string, Tenant>();
  private readonly written = new Map<Tenant, Set<string>>(TENANTS.map((tenant) => [tenant, new Set<string>()]));

  constructor() {
    for (const tenant of TENANTS) for (const text of [tenant.word, ...tenant.prefixes]) this.own(tenant, text);
  }

  /** Records the owner of data: the first tenant that has it. */
  own(tenant: Tenant, text: string): void {
    for (const telling of allTellingIn(text)) if (!this.owners.has(telling)) this.owners.set(telling, tenant);
  }

  /** Records a name that a tenant put into its own records, which may be returned to it. */
  write(tenant: Tenant, name: string): void {
    for (const telling of tellingIn(name)) this.written.get(tenant)?.add(telling);
  }

  /** @returns the foreign data in a response that the request did not contain. */
  leaks(tenant: Tenant, sent: string, { headers, text }: Pick<Answer, 'headers' | 'text'>): string[] {
    const said = new Set(allTellingIn(sent));
    return [...tellingIn(`${JSON.stringify([...headers])}\n${text}`)].filter((telling) => {
      const owner = this.owners.get(telling) ?? tenant;
      return owner !== tenant && !said.has(telling) && this.written.get(tenant)?.has(telling) !== true;
    });
  }
}
