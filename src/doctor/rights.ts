import { readFile } from 'node:fs/promises';
import { type Examined, type Found, error, read } from './finding.js';

const ROLES = new URL('../../docs/deployment/roles.sql', import.meta.url);

/** The grants of `roles.sql` to the role of the service, except those on all tables. */
const GRANT = /^GRANT ([A-Z, ]+) ON (SEQUENCE )?([a-z_, ]+) TO mintmark_service;$/gm;

/** $1: tables and sequences; $2: the privilege that each must have. */
const MISSING = `
  SELECT w.relation, string_agg(w.privilege, ', ' ORDER BY w.privilege) AS privileges
  FROM unnest($1::text[], $2::text[]) AS w(relation, privilege) JOIN pg_class c ON c.oid = to_regclass(w.relation)
  WHERE NOT CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, w.privilege) ELSE has_table_privilege(c.oid, w.privilege) END
  GROUP BY w.relation ORDER BY w.relation`;

const RELATIONS = `
  SELECT relname::text AS relation FROM pg_class
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind IN ('r', 'v')`;

/** Compares the privileges of the role with `docs/deployment/roles.sql`. The owner of the tables has all privileges. */
export async function rights(on: Examined): Promise<Found[]> {
  const granted = grantsIn(await readFile(ROLES, 'utf8'));
  const readable = (await read<{ relation: string }>(on, RELATIONS)).map(
    ({ relation }) => [relation, 'SELECT'] as const,
  );
  const needed = [...granted, ...readable];
  const rows = await read<{ relation: string; privileges: string }>(on, MISSING, [
    needed.map(([relation]) => `"${relation}"`),
    needed.map(([, privilege]) => privilege),
  ]);
  if (rows.length === 0) return [];
  const missing = rows.map(({ relation, privileges }) => `${privileges} on ${relation.replaceAll('"', '')}`).join('; ');
  return error(
    `The role "${on.session.user}" lacks ${missing}. As the owner of the tables, run docs/deployment/roles.sql.`,
  );
}

function grantsIn(sql: string): (readonly [relation: string, privilege: string])[] {
  return [...sql.matchAll(GRANT)].flatMap(([, privileges = '', , relations = '']) =>
    relations
      .split(', ')
      .flatMap((relation) => privileges.split(', ').map((privilege) => [relation, privilege] as const)),
  );
}
