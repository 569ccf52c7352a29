import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { faultsOf } from '../identifier/compile.js';

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
  ['docs/how-to/use-from-code.md', 3],
  ['packages/identifier/README.md', 1],
])('%s', (path, count) => {
  const text = readFileSync(new URL(path, root), 'utf8');
  const examples = [...text.matchAll(/^```(?:js|ts)\n([\s\S]*?)^```/gm)].map(([, example = '']) => example);
  const ofThePackage = examples.filter((example) => example.includes("from '@mintmark/identifier'"));

  it('has examples that compile as TypeScript', () => {
    expect(examples.length).toBe(count);
    const programs = examples.map((example, index) => [
      `example-${index + 1}.ts`,
      ofThePackage.includes(example) ? example : SURROUNDINGS + example,
    ]);
    expect(faultsOf(Object.fromEntries(programs), ['ES2023', 'DOM'])).toEqual([]);
  });

  it('has an example of the package that prints what its comments say', () => {
    expect(ofThePackage.length).toBe(1);
    const [example = ''] = ofThePackage;
    const promised = [...example.matchAll(/\bconsole\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
    expect(promised.length).toBeGreaterThan(1);
    const folder = mkdtempSync(fileURLToPath(new URL('dist/example-', root)));
    writeFileSync(`${folder}/example.mjs`, example);
    const { stdout, stderr } = spawnSync(process.execPath, [`${folder}/example.mjs`], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(promised);
  });
});
