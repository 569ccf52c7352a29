/** What a key may do: `admin` includes all others. */
export const SCOPES = ['read', 'mint', 'register', 'curate', 'metrics', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
