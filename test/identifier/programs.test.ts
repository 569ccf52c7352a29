import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import ts from 'typescript';

// Programs of a reader of packages/identifier/README.md and docs/reference/identifier.md, which assert what these say.

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const SOURCES = path('programs/');
const NAMES = readdirSync(SOURCES).filter((name) => /\.[cm][jt]s$/.test(name));
let compiled: string;
let faults: string[];

beforeAll(() => {
  // In the checkout, so that its packages are found.
  compiled = mkdtempSync(path('../../dist/programs-'));
  const program = ts.createProgram(
    NAMES.filter((name) => name.endsWith('ts')).map((name) => SOURCES + name),
    {
      ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: ['node'] },
      ...{ strict: true, exactOptionalPropertyTypes: true, skipDefaultLibCheck: true },
      ...{ rootDir: SOURCES, outDir: compiled },
    },
  );
  const { diagnostics } = program.emit();
  faults = [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(
    ({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
});
afterAll(() => {
  rmSync(compiled, { recursive: true });
});

it('five programs in TypeScript compile under strict and exactOptionalPropertyTypes', () => {
  expect([NAMES.length, NAMES.filter((name) => name.endsWith('ts')).length, faults]).toEqual([10, 5, []]);
});

it.each(NAMES)('%s asserts what the documentation says', (name) => {
  const file = name.endsWith('js') ? SOURCES + name : `${compiled}/${name.replace(/ts$/, 'js')}`;
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
});

it('a program with one parser runs as a bundle below 4 KiB', async () => {
  const options = { bundle: true, minify: true, write: false, platform: 'node', format: 'esm' } as const;
  const { outputFiles } = await build({ entryPoints: [`${SOURCES}10-one-parser.mjs`], ...options });
  expect(outputFiles[0]!.contents.length).toBeLessThan(4096);
  expect(spawnSync(process.execPath, ['--input-type=module'], { input: outputFiles[0]!.text }).status).toBe(0);
});
