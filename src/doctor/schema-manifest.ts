import type pg from 'pg';
import type { SchemaManifest } from '../database/required-indexes.js';

/** SQL for a digest that ignores qualifiers and spaces, because PostgreSQL 18 qualifies fewer names in its output than PostgreSQL 15. */
const bodyHash = (body: string): string =>
  String.raw`'body ' || left(encode(sha256(convert_to(regexp_replace(${body}, '\m\w+\.|\s+', '', 'g'), 'UTF8')), 'hex'), 16)`;

/**
 * The objects of the first schema of `search_path`. Definitions do not name the schema, and are equal in PostgreSQL 15 to 18. NOT NULL is
 * read from the column, because only PostgreSQL 18 has constraints for it.
 */
const OBJECTS = `
  WITH own AS (
    SELECT c.oid, c.relname, c.relkind, c.relpersistence FROM pg_class c
    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relname <> '_prisma_migrations'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ), objects(name, definition) AS (
    SELECT CASE relkind WHEN 'v' THEN 'view ' ELSE 'table ' END || relname,
           CASE WHEN relkind = 'v' THEN ${bodyHash('pg_get_viewdef(oid)')}
             ELSE CASE relpersistence WHEN 'p' THEN 'permanent' WHEN 'u' THEN 'unlogged' ELSE 'temporary' END END
    FROM own WHERE relkind IN ('r', 'p', 'v')
    UNION ALL
    SELECT 'column ' || relname || '.' || a.attname,
           concat_ws(' ', format_type(a.atttypid, a.atttypmod), 'collate ' || (SELECT l.collname FROM pg_collation l WHERE l.oid = a.attcollation),
             CASE WHEN a.attnotnull THEN 'not null' END, 'default ' || pg_get_expr(d.adbin, d.adrelid))
    FROM own JOIN pg_attribute a ON a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = own.oid AND d.adnum = a.attnum
    WHERE relkind IN ('r', 'p', 'v')
    UNION ALL
    SELECT 'sequence ' || relname, concat_ws(' ', format_type(s.seqtypid, NULL), 'increment', s.seqincrement, CASE WHEN s.seqcycle THEN 'cycle' END)
    FROM own JOIN pg_sequence s ON s.seqrelid = own.oid
    UNION ALL
    SELECT 'constraint ' || relname || '.' || k.conname, pg_get_constraintdef(k.oid, true)
    FROM own JOIN pg_constraint k ON k.conrelid = own.oid WHERE k.contype NOT IN ('n', 't')
    UNION ALL
    SELECT 'index ' || own.relname || '.' || x.relname, pg_get_indexdef(x.oid, 0, true)
    FROM own JOIN pg_index i ON i.indrelid = own.oid JOIN pg_class x ON x.oid = i.indexrelid
    UNION ALL
    SELECT 'trigger ' || relname || '.' || t.tgname,
           pg_get_triggerdef(t.oid, true) || CASE t.tgenabled WHEN 'O' THEN '' WHEN 'D' THEN ' (disabled)' ELSE ' (' || t.tgenabled::text || ')' END
    FROM own JOIN pg_trigger t ON t.tgrelid = own.oid WHERE NOT t.tgisinternal
    UNION ALL
    SELECT 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
           concat_ws(' ', pg_get_function_result(p.oid), l.lanname, p.provolatile, p.proparallel, CASE WHEN p.proisstrict THEN 'strict' END,
             array_to_string(p.proconfig, ', '), ${bodyHash('coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)')})
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE p.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  )
  SELECT name, replace(definition, quote_ident(current_schema()) || '.', '') AS definition FROM objects ORDER BY name COLLATE "C"`;

export async function readManifest(session: Pick<pg.ClientBase, 'query'>): Promise<SchemaManifest> {
  const { rows } = await session.query<{ name: string; definition: string }>(OBJECTS);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}
