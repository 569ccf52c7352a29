import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine, SchemasContainer } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { SchemaAdapterFactory } from './schema-adapter.js';

const PRISMA_FOLDER = new URL('../../prisma/', import.meta.url);

/** Which tables the engine looks at: all of them. */
export const ALL_TABLES = { externalTables: [], externalEnums: [] };

/**
 * Lends Prisma's own schema engine, as WebAssembly, over a database. It needs no download and no native binary, and
 * keeps `_prisma_migrations` exactly as `prisma migrate deploy` does.
 * @param url the `postgresql://` address it works on.
 */
export async function withSchemaEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  // The engine leaves its own advisory lock on a pooled connection; ending the pool is what gives the lock back.
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

/** Loaded once: the glue keeps its instance in a variable of its own, which a second load would pull away. */
let engineModule: Promise<EngineModule> | undefined;

async function loadEngine(): Promise<EngineModule> {
  // The package's entry imports the .wasm file as a module, which Node does not do: instantiate it by hand.
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(path.replace(/\.js$/, '.wasm'));
  const { exports } = (await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine })).instance;
  (engine as unknown as WasmBindings).__wbg_set_wasm(exports);
  exports.__wbindgen_start();
  return engine;
}

/** What wasm-bindgen's glue exports beside the typed API. */
interface WasmBindings {
  __wbg_set_wasm(exports: object): void;
}

/** The one call used of a global that TypeScript knows only together with the browser's whole library. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

/** `prisma/schema.prisma` as the engine takes it. */
export async function prismaSchema(): Promise<SchemasContainer> {
  const path = fileURLToPath(new URL('schema.prisma', PRISMA_FOLDER));
  return { files: [{ path, content: await readFile(path, 'utf8') }] };
}
