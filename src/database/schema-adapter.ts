import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlQuery, type SqlResultSet } from '@prisma/driver-adapter-utils';
import type pg from 'pg';

/** The OID of "char", a single octet, of PostgreSQL's system catalogs. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/** The used methods of Prisma's adapter, some of which are private. */
interface Queryable {
  client: { query: (script: string) => Promise<unknown> };
  onError: (error: unknown) => never;
  executeScript: (this: Queryable, script: string) => Promise<void>;
  performIO: (this: Queryable, query: SqlQuery) => Promise<pg.QueryArrayResult>;
  queryRaw: (this: Queryable, query: SqlQuery) => Promise<SqlResultSet>;
}

/**
 * Prisma's adapter for the schema engine. `@prisma/adapter-pg` 7.10 rejects the type "char" of the system catalogs, and
 * splits migrations at every ";", also in comments and function bodies.
 */
export class SchemaAdapterFactory extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    readChars(adapter as unknown as Queryable);
    runScriptsWhole(adapter as unknown as Queryable);
    return adapter;
  }
}

/** Sends a script in one query, which PostgreSQL runs as one transaction: a failed migration has no effect. */
function runScriptsWhole(adapter: Queryable): void {
  const { client } = adapter;
  adapter.executeScript = async (script) => {
    await client.query(script).catch(adapter.onError.bind(adapter));
  };
}

function readChars(adapter: Queryable): void {
  const performIO = adapter.performIO.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  const chars = new WeakMap<SqlQuery, number[]>();
  adapter.performIO = async (query) => {
    const result = await performIO(query);
    const columns = result.fields.flatMap((field, column) => (field.dataTypeID === CHAR_OID ? [column] : []));
    chars.set(query, columns);
    return {
      ...result,
      fields: result.fields.map((f) => (f.dataTypeID === CHAR_OID ? { ...f, dataTypeID: TEXT_OID } : f)),
    };
  };
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const column of chars.get(query) ?? []) result.columnTypes[column] = ColumnTypeEnum.Character;
    return result;
  };
}
