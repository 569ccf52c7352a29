import type pg from 'pg';
import { StartupError, reasonOf } from '../config/startup-error.js';

const INSUFFICIENT_PRIVILEGE = '42501';

interface Rights {
  readonly role: string;
  readonly database: string;
  /** The first schema of `search_path` that exists and that the role may use; null if there is none. */
  readonly schema: string | null;
  readonly searchPath: string;
  readonly mayCreate: boolean | null;
  /** Whether the owner of the schema is the role `pg_database_owner`; null without a schema. */
  readonly followsDatabase: boolean | null;
  /** The owner of a table of the service, if this role lacks the privileges of the owner; else null. */
  readonly owner: string | null;
}

const RIGHTS_SQL = `
  SELECT current_user AS role, current_database() AS database, current_schema() AS schema,
    current_setting('search_path') AS "searchPath",
    has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
    (SELECT pg_get_userbyid(nspowner) = 'pg_database_owner' FROM pg_namespace WHERE nspname = current_schema()) AS "followsDatabase",
    (SELECT pg_get_userbyid(c.relowner) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = current_schema() AND c.relname IN ('_prisma_migrations', 'identifier') AND c.relkind = 'r'
       AND NOT pg_has_role(c.relowner, 'USAGE') LIMIT 1) AS owner`;

/** Checks that the role can create and change the tables. @throws StartupError that names the role and a remedy. */
export async function requireSchemaRights(session: pg.ClientBase): Promise<void> {
  const { rows } = await session.query<Rights>(RIGHTS_SQL);
  const [rights] = rows;
  if (rights === undefined) return;
  const { role, database, schema, searchPath, mayCreate, followsDatabase, owner } = rights;
  if (owner !== null) {
    throw new StartupError(
      `The role "${role}" cannot alter the tables of Mintmark in the database "${database}": the owner of the tables is "${owner}". Connect as the owner, or transfer the tables: REASSIGN OWNED BY "${owner}" TO "${role}".`,
    );
  }
  if (mayCreate === true) return;
  if (schema === null) {
    throw new StartupError(
      `The search_path of the role "${role}" in the database "${database}" is ${searchPath}, and the role can use no schema of it. As a superuser, create one of these schemas, owned by the role, or set another search_path: ALTER ROLE "${role}" IN DATABASE "${database}" SET search_path = public.`,
    );
  }
  const own = followsDatabase
    ? `make it the owner of the database: ALTER DATABASE "${database}" OWNER TO "${role}"`
    : `make it the owner of the schema: ALTER SCHEMA "${schema}" OWNER TO "${role}"`;
  throw new StartupError(
    `The role "${role}" cannot create tables in the schema "${schema}". As a superuser, grant the right in the database "${database}": GRANT CREATE ON SCHEMA "${schema}" TO "${role}"; or ${own}.`,
  );
}

/** Whether PostgreSQL reported a missing privilege, directly or as the cause of another error. */
export function isPrivilegeError(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === INSUFFICIENT_PRIVILEGE || (cause instanceof Error && isPrivilegeError(cause));
}

export function missingPrivilege(error: unknown, url: string): StartupError {
  return new StartupError(
    `The role "${decodeURIComponent(new URL(url).username)}" cannot use the tables of Mintmark: ${reasonOf(error)}. As the owner of the tables, run docs/deployment/roles.sql, or connect as the owner.`,
  );
}
