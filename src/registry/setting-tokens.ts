export const DEFAULT_HTTP_RESOLVER = Symbol('RESOLVER');

/** Injects whether the operator configured the default resolver. */
export const IS_RESOLVER_SET = Symbol('IS_RESOLVER_SET');

/** Injects the URL of the entity that blocks identifiers withdrawn for a legal reason, or null. */
export const BLOCKED_BY_URL = Symbol('BLOCKED_BY_URL');
