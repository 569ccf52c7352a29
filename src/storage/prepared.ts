import type { QueryConfig } from 'pg';

/** Rows for which one plan is efficient; more rows get a plan of their own. */
const FEW = 64;

/** A statement over rows of parameters, prepared if they are few. */
export function prepared(name: string, text: string, values: unknown[], rows: number): QueryConfig {
  return rows > FEW ? { text, values } : { name, text, values };
}
