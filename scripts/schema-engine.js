// Prisma's schema engine as WebAssembly, without a download. Only development checks and tests use it; the service applies
// migrations itself.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';

const PRISMA_FOLDER = new URL('../prisma/', import.meta.url);

export const ALL_TABLES = { externalTables: [], externalEnums: [] };

/**
 * Runs the schema engine on a database, which it changes as `prisma migrate deploy` does.
 * A timer of the engine keeps the process alive, so the caller must end the process.
 * @template T
 * @param {string} url
 * @param {(engine: import('@prisma/schema-engine-wasm').SchemaEngine) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withSchemaEngine(url, work) {
  // Ending the pool releases the advisory lock of the engine.
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    const { SchemaEngine } = await (engineModule ??= loadEngine());
    const { files } = await prismaSchema();
    const datamodels = files.map(({ path, content }) => [path, content]);
    const factory = bindMigrationAwareSqlAdapterFactory(new SchemaAdapterFactory(pool));
    const engine = await SchemaEngine.new({ datamodels }, () => {}, factory);
    return await work(engine).finally(() => {
      engine.free();
    });
  } finally {
    await pool.end();
  }
}

export async function prismaSchema() {
  const path = fileURLToPath(new URL('schema.prisma', PRISMA_FOLDER));
  return { files: [{ path, content: await readFile(path, 'utf8') }] };
}

export async function migrationsList(migrations) {
  const folder = new URL('migrations/', PRISMA_FOLDER);
  return {
    baseDir: fileURLToPath(folder),
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(new URL('migration_lock.toml', folder), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

/** The engine is loaded once, because the bindings store their instance in a variable, which a second load would replace. */
let engineModule;

async function loadEngine() {
  // The entry point of the package imports the .wasm file as a module, which Node.js 20 does not support.
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(path.replace(/\.js$/, '.wasm'));
  const { exports } = (await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine })).instance;
  engine.__wbg_set_wasm(exports);
  exports.__wbindgen_start();
  return engine;
}

/** The OID of "char", the type of a single byte in PostgreSQL's system catalogs. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/**
 * Prisma's adapter for the schema engine. `@prisma/adapter-pg` 7.10 rejects the type "char" of the system catalogs, and
 * splits migrations at every ";", also in comments and function bodies.
 */
class SchemaAdapterFactory extends PrismaPg {
  async connect() {
    const adapter = await super.connect();
    readChars(adapter);
    runScriptsWhole(adapter);
    return adapter;
  }
}

/** Sends a script in one query, which PostgreSQL runs as one transaction: a failed migration has no effect. */
function runScriptsWhole(adapter) {
  const { client } = adapter;
  adapter.executeScript = async (script) => {
    await client.query(script).catch(adapter.onError.bind(adapter));
  };
}

function readChars(adapter) {
  const performIO = adapter.performIO.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  const chars = new WeakMap();
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
