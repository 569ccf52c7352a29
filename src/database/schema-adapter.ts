import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlQuery, type SqlResultSet } from '@prisma/driver-adapter-utils';
import type pg from 'pg';

/** The type "char", a single octet, of PostgreSQL's own catalogs. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/** What of Prisma's adapter is needed here; some of it is private to it. */
interface Queryable {
  client: { query: (script: string) => Promise<unknown> };
  onError: (error: unknown) => never;
  executeScript: (this: Queryable, script: string) => Promise<void>;
  performIO: (this: Queryable, query: SqlQuery) => Promise<pg.QueryArrayResult>;
  queryRaw: (this: Queryable, query: SqlQuery) => Promise<SqlResultSet>;
}

/**
 * Prisma's adapter as the schema engine needs it. `@prisma/adapter-pg` 7.10 has no name for the type "char" of PostgreSQL's
 * catalogs and refuses it, and it cuts a migration at every ";", be it in a comment or in the body of a function.
 */
export class SchemaAdapterFactory extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    readChars(adapter as unknown as Queryable);
    runScriptsWhole(adapter as unknown as Queryable);
    return adapter;
  }
}

/** PostgreSQL reads a script itself, and runs it as one transaction: a migration that fails leaves nothing behind. */
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
