/** Compiles programs that use the package, against its declarations, as the compiler of a consumer does. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // Without the types of Node.js; the declarations of the package are checked too.
  types: [],
  noEmit: true,
};

/** A library of TypeScript, such as `DOM`. */
type Library = 'ES2023' | 'DOM';

/** What the compiler reports on programs, by the names of their files: `file:line: message`. */
export function faultsOf(
  programs: Readonly<Record<string, string>>,
  libraries: readonly Library[] = ['ES2023'],
): string[] {
  const options = { ...OPTIONS, lib: libraries.map((name) => `lib.${name.toLowerCase()}.d.ts`) };
  const texts = new Map(Object.entries(programs).map(([name, text]) => [ROOT + name, text]));
  const disk = ts.createCompilerHost(options);
  const readFile = (path: string) => texts.get(path) ?? disk.readFile(path);
  const host: ts.CompilerHost = {
    ...disk,
    readFile,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    getSourceFile: (path, language) => {
      const text = readFile(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, language);
    },
    getCurrentDirectory: () => ROOT,
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (file === undefined || start === undefined) return message;
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    return `${file.fileName.replace(ROOT, '')}:${line}: ${message}`;
  });
}
