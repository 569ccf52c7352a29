import type pg from 'pg';

/** Only Citus has this catalog. A name without schema is searched in pg_catalog first. */
const HAS_CITUS = "SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found";

const DISTRIBUTED = `
  SELECT c.relname::text AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) ORDER BY 1`;

/** The tables of the service that Citus distributes, also those on one node only. */
export async function distributedTables(session: pg.ClientBase): Promise<string[]> {
  const { rows } = await session.query<{ found: boolean }>(HAS_CITUS);
  if (rows[0]?.found !== true) return [];
  return (await session.query<{ name: string }>(DISTRIBUTED)).rows.map(({ name }) => name);
}
