import { namingAuthorityKey } from '@mintmark/identifier';
import { Problem } from '../problem/problem.js';
import type { AlternateName } from '../registry/alternate-name.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { isLegal, withoutLegalValues } from '../registry/lifecycle.js';
import type { MintCommand } from '../registry/mint-command.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { ipPrefixOf } from '../http/ip-prefix.js';

/** What a key may do: `admin` includes all others. */
export const SCOPES = ['read', 'mint', 'register', 'curate', 'metrics', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** A naming authority that a key covers, with or without those derived from it. */
export interface Grant {
  readonly namingAuthority: string;
  /** `100.102` covers `100.102.7` only when this is true. */
  readonly derived: boolean;
}

/** Who sends a request and what they may do. */
export class Principal {
  /**
   * @param client to which idempotency keys belong.
   * @param grants the covered naming authorities; null for all.
   * @param seesAll whether it can see all naming authorities nevertheless, because reading is public.
   * @param seesActors whether responses show it the client and the key of a change.
   * @param seesHistory whether a page of a record, which needs no scope, shows it the history.
   */
  constructor(
    readonly client: string,
    readonly keyId: string | null,
    private readonly scopes: readonly Scope[],
    private readonly grants: readonly Grant[] | null,
    private readonly seesAll = false,
    readonly seesActors = true,
    readonly seesHistory = true,
  ) {}

  has(scope: Scope): boolean {
    return this.scopes.includes(scope) || this.scopes.includes('admin');
  }

  /** Whether the request has no key. */
  get isAnonymous(): boolean {
    return this.client === ANONYMOUS;
  }

  get isRestricted(): boolean {
    return this.grants !== null;
  }

  get hasRestrictedView(): boolean {
    return this.isRestricted && !this.seesAll;
  }

  /** The grants that limit what it can see; null where nothing does. */
  get visibleGrants(): readonly Grant[] | null {
    return this.seesAll ? null : this.grants;
  }

  canSee(namingAuthority: string): boolean {
    return this.seesAll || covers(this.grants, namingAuthority);
  }

  /** Whether it may change the identifiers of a naming authority. */
  curates(namingAuthority: string): boolean {
    return this.has('curate') && this.covers(namingAuthority);
  }

  /** Whether the values of a record are hidden from it, because the identifier is withdrawn for legal reasons. */
  hides(record: Pick<IdentifierRecord, 'namingAuthority' | 'tombstone'>): boolean {
    return isLegal(record) && !this.curates(record.namingAuthority);
  }

  /** The naming authorities of which it sees the values that others do not see; undefined for all. */
  curatedIn(known: NamingAuthoritySnapshot): readonly string[] | undefined {
    const { grants } = this;
    if (!this.has('curate')) return [];
    return grants === null ? undefined : coveredBy(grants, known).prefixes;
  }

  /**
   * Removes hidden identifiers from `describes` and `newerVersions`, and the values of an identifier that is withdrawn for legal reasons.
   * The caller checks the visibility of the record itself.
   * @returns the same object where nothing is hidden.
   */
  redact<T extends Omit<IdentifierRecord, 'id' | 'resolver'>>(record: T): T {
    const shown = this.hides(record) ? withoutLegalValues(record) : record;
    if (!this.hasRestrictedView) return shown;
    const visible = (native: string): boolean => this.canSee(native.slice(0, native.indexOf('/')));
    const [describes, newerVersions] = [shown.describes.filter(visible), shown.newerVersions.filter(visible)];
    return { ...shown, describes, newerVersions };
  }

  /** The naming authorities that the principal can see; its requests are parsed with these. */
  viewOf(known: NamingAuthoritySnapshot): NamingAuthoritySnapshot {
    const { grants } = this;
    if (!this.hasRestrictedView || grants === null) return known;
    return coveredBy(grants, known);
  }

  /** Whether its grants cover a naming authority. */
  covers(namingAuthority: string): boolean {
    return covers(this.grants, namingAuthority);
  }

  /** Requires scope and grant. @throws Problem SCOPE_MISSING, or NAMING_AUTHORITY_FORBIDDEN at `pointer`. */
  require(scope: Scope, namingAuthority: string, pointer: string): void {
    requireScope(this, scope);
    if (this.covers(namingAuthority)) return;
    const detail = `this API key does not cover the naming authority "${namingAuthority}"`;
    throw new Problem('NAMING_AUTHORITY_FORBIDDEN', detail, { errors: [{ pointer, detail }] });
  }

  /**
   * Requires scope and grant of a mint or a registration, and of its alternates; `onExisting: "update"` requires "curate" too.
   * @throws Problem SCOPE_MISSING, or NAMING_AUTHORITY_FORBIDDEN
   */
  requireMinting({
    namingAuthority,
    guid,
    localName,
    onExisting,
    alternates = [],
  }: Pick<MintCommand, 'namingAuthority' | 'guid' | 'localName'> &
    Partial<Pick<MintCommand, 'alternates' | 'onExisting'>>): void {
    this.require(guid === null && localName === null ? 'mint' : 'register', namingAuthority, '/namingAuthority');
    if (onExisting === 'update') requireScope(this, 'curate');
    alternates.forEach((name, index) => {
      this.requireNaming(name, index);
    });
  }

  /**
   * Requires that it may register the name of an alternate under a naming authority of this service, so that no other client keeps the owner
   * from it. Foreign texts are free.
   * @param index that of the alternate in the list of the request.
   * @throws Problem SCOPE_MISSING, or NAMING_AUTHORITY_FORBIDDEN
   */
  requireNaming({ here }: Pick<AlternateName, 'here'>, index: number): void {
    if (here !== undefined) this.require('register', here.namingAuthority, `/alternateIds/${index}`);
  }

  /** @throws Problem NAMING_AUTHORITY_FORBIDDEN with this detail. */
  requireUnrestricted(detail: string): void {
    if (this.isRestricted) throw new Problem('NAMING_AUTHORITY_FORBIDDEN', detail);
  }

  /**
   * The same principal where reading is public: it sees naming authorities outside its grants.
   * @param historyIsPublic whether it sees the history also without the scope "read".
   */
  withPublicRead(historyIsPublic = true): Principal {
    const seesHistory = historyIsPublic || this.has('read');
    return new Principal(this.client, this.keyId, this.scopes, this.grants, true, true, seesHistory);
  }
}

/** Requires one of the scopes. @throws Problem SCOPE_MISSING */
export function requireScope(principal: Principal, ...scopes: readonly Scope[]): void {
  if (scopes.some((scope) => principal.has(scope))) return;
  throw new Problem(
    'SCOPE_MISSING',
    `This request needs an API key with the scope ${scopes.map((s) => `"${s}"`).join(' or ')}.`,
    {
      headers: {
        'www-authenticate': `Bearer realm="mintmark", error="insufficient_scope", scope="${scopes.join(' ')}"`,
      },
    },
  );
}

/**
 * Requires the right to see the clients in histories, for a filter.
 * @throws Problem UNAUTHENTICATED without a key, SCOPE_MISSING for a key that must not read histories.
 */
export function requireActors(principal: Principal, filter: string): void {
  if (!principal.seesHistory && !principal.isAnonymous) requireScope(principal, 'read');
  if (principal.seesActors && principal.seesHistory) return;
  const detail = `The filter "${filter}" needs an API key: without one, the service does not tell which client made a change.`;
  throw new Problem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': 'Bearer realm="mintmark"' } });
}

function coveredBy(grants: readonly Grant[], known: NamingAuthoritySnapshot): NamingAuthoritySnapshot {
  return known.seenBy(grants, (namingAuthority) => covers(grants, namingAuthority));
}

/** Whether grants cover a naming authority; null covers all. ASCII letters of a prefix are case-insensitive (R-15). */
export function covers(grants: readonly Grant[] | null, namingAuthority: string): boolean {
  if (grants === null) return true;
  const requested = namingAuthorityKey(namingAuthority);
  return grants.some(({ namingAuthority: prefix, derived }) => {
    const granted = namingAuthorityKey(prefix);
    return requested === granted || (derived && requested.startsWith(`${granted}.`));
  });
}

const ANONYMOUS = 'anonymous';

/** The principal of all requests under open access. */
export const OPEN_ACCESS = new Principal(ANONYMOUS, null, SCOPES, null);

export const PUBLIC_READER = new Principal(ANONYMOUS, null, ['read'], null);

/** `PUBLIC_READER` without the clients in histories. */
export const READER_WITHOUT_ACTORS = new Principal(ANONYMOUS, null, ['read'], null, false, false);

/** `READER_WITHOUT_ACTORS` without the history. */
export const READER_WITHOUT_HISTORY = new Principal(ANONYMOUS, null, ['read'], null, false, false, false);

export const ADMIN = new Principal('admin', null, ['admin'], null);

/** The principal before authentication, and of public routes. */
export const UNAUTHENTICATED = new Principal(ANONYMOUS, null, [], []);

/** Who sends a request, and its idempotency key. */
export interface RequestContext {
  readonly principal: Principal;
  readonly idempotencyKey: string | undefined;
}

/** The name under which requests are counted: the ID of the key, or the address (undefined on a closed connection). */
export function clientIdentity(principal: Principal, address: string | undefined): string {
  if (principal.keyId !== null) return principal.keyId;
  return principal.isAnonymous ? ipPrefixOf(address) : principal.client;
}
