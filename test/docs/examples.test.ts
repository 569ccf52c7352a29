import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { compile } from '../identifier/consumer.js';

const root = new URL('../../', import.meta.url);

/** What the examples of requests take from the program around them. */
const SURROUNDINGS = `
  declare let cursor: string;
  declare const service: string;
  declare const url: string;
  declare function handle(event: unknown): Promise<void>;
  export {};
`;

describe.each([
  ['docs/how-to/use-from-code.md', 2, 0],
  ['packages/identifier/README.md', 4, 4],
])('%s', (path, count, countOfPackage) => {
  const text = readFileSync(new URL(path, root), 'utf8');
  const examples = [...text.matchAll(/^```(?:js|ts)\n([\s\S]*?)^```/gm)].map(([, example = '']) => example);
  const ofPackage = examples.filter((example) => example.includes("from '@mintmark/identifier'"));

  it('has examples that compile as TypeScript', () => {
    const programs = examples.map((example) => (ofPackage.includes(example) ? example : SURROUNDINGS + example));
    expect(programs.length).toBe(count);
    const errors = programs.map((program) => compile(program, 'example.mts', ['ES2023', 'DOM']));
    expect(errors).toEqual(programs.map(() => []));
  });

  it('has examples of the package that print what their comments say', () => {
    expect(ofPackage.length).toBe(countOfPackage);
    const folder = mkdtempSync(fileURLToPath(new URL('dist/example-', root)));
    for (const example of ofPackage) {
      const promised = [...example.matchAll(/\bconsole\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
      expect(promised.length).toBeGreaterThan(1);
      const { outputText } = ts.transpileModule(example, { compilerOptions: { module: ts.ModuleKind.ESNext } });
      writeFileSync(`${folder}/example.mjs`, outputText);
      const { stdout, stderr } = spawnSync(process.execPath, [`${folder}/example.mjs`], { encoding: 'utf8' });
      expect([stderr, ...stdout.trim().split('\n')]).toEqual(['', ...promised]);
    }
    rmSync(folder, { recursive: true });
  });
});
