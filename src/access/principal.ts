import type { ChargeReport } from './limits/token-buckets.js';
import { namingAuthorityKey } from '@mintmark/identifier';
import { Problem } from '../problem/problem.js';
import type { AlternateName } from '../registry/alternate-name.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { isLegal, withoutLegalValues } from '../registry/lifecycle.js';
import type { MintCommand } from '../registry/mint-command.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { ipPrefixOf } from '../http/ip-prefix.js';

/** The scopes of keys; `admin` includes all other scopes. */
export const SCOPES = ['read', 'mint', 'register', 'curate', 'metrics', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** A naming authority that a key covers, with or without the naming authorities derived from it. */
export interface Grant {
  readonly namingAuthority: string;
  /** `100.102` covers `100.102.7` only if this is true. */
  readonly derived: boolean;
}

/** The client of a request and its rights. */
export class Principal {
  /**
   * @param client the owner of idempotency keys.
   * @param grants the covered naming authorities; null for all.
   * @param seesAll whether all naming authorities are visible regardless of grants, because reading is public.
   * @param seesHistory whether pages of records show the history; false if neither the public nor the key may read the history.
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

  get isAnonymous(): boolean {
    return this.client === ANONYMOUS;
  }

  get isRestricted(): boolean {
    return this.grants !== null;
  }

  get hasRestrictedView(): boolean {
    return this.isRestricted && !this.seesAll;
  }

  /** The grants that limit visibility; null if all naming authorities are visible. */
  get visibleGrants(): readonly Grant[] | null {
    return this.seesAll ? null : this.grants;
  }

  canSee(namingAuthority: string): boolean {
    return this.seesAll || covers(this.grants, namingAuthority);
  }

  curates(namingAuthority: string): boolean {
    return this.has('curate') && this.covers(namingAuthority);
  }

  hides(record: Pick<IdentifierRecord, 'namingAuthority' | 'tombstone'>): boolean {
    return isLegal(record) && !this.curates(record.namingAuthority);
  }

  /** The naming authorities whose hidden values this principal sees; undefined for all. */
  curatedIn(known: NamingAuthoritySnapshot): readonly string[] | undefined {
    const { grants } = this;
    if (!this.has('curate')) return [];
    return grants === null ? undefined : coveredBy(grants, known).prefixes;
  }

  /**
   * Removes hidden identifiers from `describes` and `newerVersions`, and the values of an identifier that is withdrawn for legal reasons.
   * The caller checks the visibility of the record itself.
   */
  redact<T extends Omit<IdentifierRecord, 'id' | 'resolver'>>(record: T): T {
    const shown = this.hides(record) ? withoutLegalValues(record) : record;
    if (!this.hasRestrictedView) return shown;
    const visible = (native: string): boolean => this.canSee(native.slice(0, native.indexOf('/')));
    const [describes, newerVersions] = [shown.describes.filter(visible), shown.newerVersions.filter(visible)];
    return { ...shown, describes, newerVersions };
  }

  /** The naming authorities that the principal can see. Its requests are parsed by their rules. */
  viewOf(known: NamingAuthoritySnapshot): NamingAuthoritySnapshot {
    const { grants } = this;
    if (!this.hasRestrictedView || grants === null) return known;
    return coveredBy(grants, known);
  }

  covers(namingAuthority: string): boolean {
    return covers(this.grants, namingAuthority);
  }

  /** Requires the scope and a grant. @throws Problem SCOPE_MISSING, or NAMING_AUTHORITY_FORBIDDEN at `pointer`. */
  require(scope: Scope, namingAuthority: string, pointer: string): void {
    requireScope(this, scope);
    if (this.covers(namingAuthority)) return;
    const detail = `this API key does not cover the naming authority "${namingAuthority}"`;
    throw new Problem('NAMING_AUTHORITY_FORBIDDEN', detail, { errors: [{ pointer, detail }] });
  }

  /** @throws Problem SCOPE_MISSING, or NAMING_AUTHORITY_FORBIDDEN */
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
   * An alternate under a naming authority of this service requires `register`, so that no client can occupy a name of another client.
   * @throws Problem SCOPE_MISSING, or NAMING_AUTHORITY_FORBIDDEN
   */
  requireNaming({ here }: Pick<AlternateName, 'here'>, index: number): void {
    if (here !== undefined) this.require('register', here.namingAuthority, `/alternateIds/${index}`);
  }

  /** @throws Problem NAMING_AUTHORITY_FORBIDDEN */
  requireUnrestricted(detail: string): void {
    if (this.isRestricted) throw new Problem('NAMING_AUTHORITY_FORBIDDEN', detail);
  }

  /** @param historyIsPublic whether the history is visible without the scope "read". */
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

/** Requires the right to see clients in histories, which a filter by client would reveal. @throws Problem UNAUTHENTICATED, SCOPE_MISSING */
export function requireActors(principal: Principal, filter: string): void {
  if (!principal.seesHistory && !principal.isAnonymous) requireScope(principal, 'read');
  if (principal.seesActors && principal.seesHistory) return;
  const detail = `The filter "${filter}" needs an API key: without one, the service does not tell which client made a change.`;
  throw unauthenticated(detail, false);
}

/** @param hasKey whether the request has a key, which is not valid (RFC 6750 3.1). */
export function unauthenticated(detail: string, hasKey = true): Problem {
  const error = hasKey ? ', error="invalid_token"' : '';
  return new Problem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': `Bearer realm="mintmark"${error}` } });
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

export const READER_WITHOUT_ACTORS = new Principal(ANONYMOUS, null, ['read'], null, false, false);

export const READER_WITHOUT_HISTORY = new Principal(ANONYMOUS, null, ['read'], null, false, false, false);

export const ADMIN = new Principal('admin', null, ['admin'], null);

/** The principal of a request before its authentication, and on public routes. */
export const UNAUTHENTICATED = new Principal(ANONYMOUS, null, [], []);

export interface RequestContext {
  readonly principal: Principal;
  readonly idempotencyKey: string | undefined;
  /** Sets the headers about the rate limit of a naming authority. */
  readonly onCharge?: ChargeReport;
}

/** The name under which requests are limited: key ID, `admin` or IP prefix. @param address undefined on a closed connection. */
export function clientIdentity(principal: Principal, address: string | undefined): string {
  if (principal.keyId !== null) return principal.keyId;
  return principal.isAnonymous ? ipPrefixOf(address) : principal.client;
}
