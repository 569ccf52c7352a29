/** Compiles a test for Jest's own runner: removes the types, and keeps the line numbers by a source map. */
import { transformSync } from 'esbuild';

/** The module in JavaScript, with its source map. */
export const compile = (source, path) =>
  transformSync(source, {
    ...{ loader: 'ts', format: 'esm', target: 'node20', sourcefile: path, sourcemap: 'inline' },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  }).code;

export default { process: (source, path) => ({ code: compile(source, path) }) };
