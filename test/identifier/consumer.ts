/** The library as another package sees it: its declarations, and its modules in a bundle. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import ts from 'typescript';

export const LIBRARY = 'mintmark/identifier';
const SOURCES = fileURLToPath(new URL('../../src/identifier/', import.meta.url));
const INDEX = `${SOURCES}index.ts`;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
};

const PROGRAM = '/consumer/program.mts';
const PACKAGE = '/consumer/node_modules/mintmark/';
/** What all programs share, parsed once: the library, and those of the compiler. */
const PARSED = new Map<string, ts.SourceFile | undefined>();
let declarations: ReadonlyMap<string, string> | null = null;

/** The errors of the compiler in a program that imports the library: code and message. Declarations are made for it. */
export function compile(program: string): string[] {
  declarations ??= declare();
  const files = new Map([...declarations, [PROGRAM, program]]);
  const disk = ts.createCompilerHost(OPTIONS);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    directoryExists: (name) => [...files.keys()].some((file) => file.startsWith(`${name}/`)),
    getSourceFile(name, language) {
      if (name === PROGRAM) return ts.createSourceFile(name, program, language);
      const text = files.get(name);
      const parsed =
        PARSED.get(name) ??
        (text === undefined ? disk.getSourceFile(name, language) : ts.createSourceFile(name, text, language));
      PARSED.set(name, parsed);
      return parsed;
    },
  };
  const made = ts.createProgram({ rootNames: [PROGRAM, `${PACKAGE}console.d.ts`], options: OPTIONS, host });
  return ts
    .getPreEmitDiagnostics(made)
    .map(({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

/** The size of a program in a bundle for browsers, in octets after gzip. */
export async function weigh(program: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: SOURCES },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    plugins: [asPackage],
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

/** What `"sideEffects": false` in the package says. */
const asPackage: Plugin = {
  name: 'package',
  setup(bundler) {
    bundler.onResolve({ filter: new RegExp(`^${LIBRARY}$`) }, () => ({ path: INDEX, sideEffects: false }));
    bundler.onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => ({
      path: fileURLToPath(new URL(path.replace(/\.js$/, '.ts'), `file://${resolveDir}/`)),
      sideEffects: false,
    }));
  },
};

/** The declarations of the library in the folder of a package that exports only its index. */
function declare(): ReadonlyMap<string, string> {
  const exported = { [`./${LIBRARY.split('/')[1] ?? ''}`]: { types: './index.d.ts', default: './index.js' } };
  const files = new Map([
    [`${PACKAGE}package.json`, JSON.stringify({ name: 'mintmark', type: 'module', exports: exported })],
    [`${PACKAGE}console.d.ts`, 'declare const console: { log(...values: unknown[]): void };'],
  ]);
  const made = ts.createProgram([INDEX], { ...OPTIONS, rootDir: SOURCES, outDir: PACKAGE, emitDeclarationOnly: true });
  made.emit(undefined, (name, text) => files.set(name, text));
  return files;
}
