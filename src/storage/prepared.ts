import type { QueryConfig } from 'pg';

/** Up to so many rows one plan serves; more of them are worth a plan of their own, which knows how many they are. */
const FEW = 64;

/** A statement over rows of parameters, prepared in its session where they are few. */
export function prepared(name: string, text: string, values: unknown[], rows: number): QueryConfig {
  return rows > FEW ? { text, values } : { name, text, values };
}
