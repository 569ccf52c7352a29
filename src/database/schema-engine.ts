import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine, SchemasContainer } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { SchemaAdapterFactory } from './schema-adapter.js';

const PRISMA_FOLDER = new URL('../../prisma/', import.meta.url);

export const ALL_TABLES = { externalTables: [], externalEnums: [] };

/**
 * Runs Prisma's schema engine, as WebAssembly without a download, on a database. It maintains `_prisma_migrations` as
 * `prisma migrate deploy` does.
 */
export async function withSchemaEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  // Ending the pool releases the advisory lock of the engine.
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    const { SchemaEngine } = await (engineModule ??= loadEngine());
    const { files } = await prismaSchema();
    const datamodels = files.map(({ path, content }): [string, string] => [path, content]);
    const factory = bindMigrationAwareSqlAdapterFactory(new SchemaAdapterFactory(pool));
    const engine = await SchemaEngine.new({ datamodels }, () => {}, factory);
    return await work(engine).finally(() => {
      engine.free();
    });
  } finally {
    await pool.end();
  }
}

type EngineModule = typeof import('@prisma/schema-engine-wasm/schema_engine_bg');

/** Loaded once: the bindings store their instance in a variable, which a second load would replace. */
let engineModule: Promise<EngineModule> | undefined;

async function loadEngine(): Promise<EngineModule> {
  // The entry point of the package imports the .wasm file as a module, which Node.js does not support.
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(path.replace(/\.js$/, '.wasm'));
  const { exports } = (await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine })).instance;
  (engine as unknown as WasmBindings).__wbg_set_wasm(exports);
  exports.__wbindgen_start();
  return engine;
}

/** The exports of wasm-bindgen besides the typed API. */
interface WasmBindings {
  __wbg_set_wasm(exports: object): void;
}

/** The only used member of a global that TypeScript declares in its DOM library. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

/** `prisma/schema.prisma` in the format of the engine. */
export async function prismaSchema(): Promise<SchemasContainer> {
  const path = fileURLToPath(new URL('schema.prisma', PRISMA_FOLDER));
  return { files: [{ path, content: await readFile(path, 'utf8') }] };
}
