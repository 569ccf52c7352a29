import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, PROBLEM_CODES } from '../../src/problem/catalogue.js';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

describe('README.md', () => {
  it('has an example of the package face that prints what its comments say', () => {
    const [, example = ''] = /```js\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
    const promised = [...example.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(promised.length).toBeGreaterThan(3);
    // Inside the package, `mintmark/identifier` is resolved by its own exports, as it is for whoever installs it.
    const folder = mkdtempSync(fileURLToPath(new URL('dist/readme-', root)));
    writeFileSync(`${folder}/example.mjs`, example);
    const { stdout, stderr } = spawnSync(process.execPath, [`${folder}/example.mjs`], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(promised);
  });
});

describe('docs/errors.md', () => {
  it('lists every code of the catalogue with its status, and no other', () => {
    const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z0-9_]+)` *\| *([0-9]{3}) *\|/gm)];
    const documented = rows.map(([, code = '', status]) => [code, Number(status)]);
    const known = PROBLEM_CODES.map((code) => [code, CATALOGUE[code].status]);
    expect(documented.sort()).toEqual(known.sort());
  });
});

describe('docs/dependencies.md', () => {
  it('gives a reason for every dependency, and names no other', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` *\| *(.*?) *\|$/gm)];
    for (const [, name, reason] of rows) expect([name, (reason ?? '').length > 5]).toEqual([name, true]);
    const listed = rows.map(([, name]) => name);
    expect(listed.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(devDependencies)].sort());
  });

  it('states a budget of direct dependencies at run time, and it is kept', () => {
    const [, budget] = /at most ([0-9]+) direct\s+dependencies at run time/.exec(read('docs/dependencies.md')) ?? [];
    expect(budget).toBe('25');
    expect(Object.keys(JSON.parse(read('package.json')).dependencies).length).toBeLessThanOrEqual(Number(budget));
  });

  it('every dependency is pinned to one version', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.-]+)?$/)]);
    }
  });
});

describe('docs/standards.md', () => {
  it('explains every requirement and resolution that the source cites', () => {
    const explained = new Set(read('docs/standards.md').match(/\b(CID|URI|HUS|HS|FED|UUID|R)-\d\d\b/g));
    const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.includes('generated'),
    );
    const cited = sources.flatMap((name) => read(`src/${name}`).match(/\b(CID|URI|HUS|HS|FED|UUID|R)-\d\d\b/g) ?? []);
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter((number) => !explained.has(number))).toEqual([]);
  });
});

describe('.env.example', () => {
  it('has every variable that the configuration reads, and no other', () => {
    const source = read('src/config/environment.ts').split('export class Environment')[1] ?? '';
    const known = [...source.matchAll(/^ +(?:@.*\) )?([A-Z][A-Z_]+)(?: =|\?:) .*;$/gm)].map(([, name]) => name);
    expect(known).toContain('PORT');
    const shown = [...read('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(shown.sort()).toEqual(known.sort());
  });
});
