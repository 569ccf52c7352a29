/** The package as a program of others sees it: its declarations, and its modules in a bundle. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import ts from 'typescript';

export const LIBRARY = '@mintmark/identifier';

/** Programs in this folder find the package as the service does. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  // The declarations of the package are checked, those of the compiler are not.
  skipDefaultLibCheck: true,
};

/** Each file on the disk is parsed once: the declarations of the package, and those of the compiler. */
const PARSED = new Map<string, ts.SourceFile | undefined>();

/**
 * The errors of the compiler in a program that imports the package: code and message. Declarations are made for it. The end of its name
 * says whether it is an ES module (`.mts`) or CommonJS (`.cts`); only with `DOM` it has `console` and `fetch`.
 */
export function compile(program: string, name = 'program.mts', libraries = ['ES2023']): string[] {
  const options = { ...OPTIONS, lib: libraries.map((library) => `lib.${library.toLowerCase()}.d.ts`) };
  const path = ROOT + name;
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => file === path || disk.fileExists(file),
    readFile: (file) => (file === path ? program : disk.readFile(file)),
    getSourceFile(file, language) {
      if (file === path) return ts.createSourceFile(file, program, language);
      const parsed = PARSED.get(file) ?? disk.getSourceFile(file, language);
      PARSED.set(file, parsed);
      return parsed;
    },
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([path], options, host))
    .map(({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

/** The size of a program in a bundle for browsers, in octets after gzip. */
export async function weigh(program: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}
