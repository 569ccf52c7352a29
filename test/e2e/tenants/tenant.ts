import type { Answer } from '../harness/client.js';

/** Somebody with a key for some naming authorities, and a word that nobody else's texts have. */
export interface Tenant {
  readonly word: string;
  /** Its naming authorities; identifiers are minted under any of them. */
  readonly prefixes: readonly string[];
  readonly client: string;
  readonly scopes: readonly string[];
  readonly grants: readonly object[];
}

/**
 * The prefix of one begins with the letters of another's, which does not make it derived; only the last one has a derived
 * one. That one is an administrator of its own too.
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

/** What can tell whose something is: identifiers, prefixes, words, GUIDs, and ids of keys and reservations; the longest first. */
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

/** The same, and the parts of identifiers besides. */
function allTellingIn(text: string): string[] {
  return [...tellingIn(text)].flatMap((telling) => [telling, ...telling.split('/')]);
}

/** Knows what belongs to whom, and finds in answers what is none of the caller's business. */
export class Ownership {
  private readonly owners = new Map<string, Tenant>();
  private readonly written = new Map<Tenant, Set<string>>(TENANTS.map((tenant) => [tenant, new Set<string>()]));

  constructor() {
    for (const tenant of TENANTS) for (const text of [tenant.word, ...tenant.prefixes]) this.own(tenant, text);
  }

  /** What was made for a tenant: the first one who has it is its owner. */
  own(tenant: Tenant, text: string): void {
    for (const telling of allTellingIn(text)) if (!this.owners.has(telling)) this.owners.set(telling, tenant);
  }

  /** A tenant put a name into its own records, and may find it there again. */
  write(tenant: Tenant, name: string): void {
    for (const telling of tellingIn(name)) this.written.get(tenant)?.add(telling);
  }

  /** @returns what an answer tells a tenant about others, beyond what the tenant said itself in the request. */
  leaks(tenant: Tenant, sent: string, { headers, text }: Pick<Answer, 'headers' | 'text'>): string[] {
    const said = new Set(allTellingIn(sent));
    return [...tellingIn(`${JSON.stringify([...headers])}\n${text}`)].filter((telling) => {
      const owner = this.owners.get(telling) ?? tenant;
      return owner !== tenant && !said.has(telling) && this.written.get(tenant)?.has(telling) !== true;
    });
  }
}
