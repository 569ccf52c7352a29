export const DEFAULT_HTTP_RESOLVER = Symbol('RESOLVER');

/** The injection token of whether the operator has named this resolver. */
export const IS_RESOLVER_SET = Symbol('IS_RESOLVER_SET');

/** The injection token of the URL of who blocks what is withdrawn for a legal reason; null for none. */
export const BLOCKED_BY_URL = Symbol('BLOCKED_BY_URL');
