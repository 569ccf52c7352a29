/** The package as npm ships it, and as Node.js loads it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = `${ROOT}packages/identifier/`;

describe('what npm pack ships of packages/identifier', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    ...{ cwd: FOLDER, encoding: 'utf8' },
  });
  const [packed] = JSON.parse(stdout);
  const shipped: string[] = packed.files.map(({ path }: { path: string }) => path);

  it('is dist/, src/, LICENSE, README.md and package.json', () => {
    const roots = new Set(shipped.map((path) => path.replace(/\/.*/, '')));
    expect([...roots].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src']);
    expect(shipped).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'src/index.ts']));
  });

  it('includes each source that a source map or a declaration map names', () => {
    const maps = shipped.filter((path) => path.endsWith('.map'));
    const sources = maps.flatMap((path) => {
      const map = JSON.parse(readFileSync(FOLDER + path, 'utf8'));
      return map.sources.map((source: string) => posix.join(posix.dirname(path), map.sourceRoot, source));
    });
    expect(maps.filter((path) => path.endsWith('.js.map')).length).toBeGreaterThan(20);
    expect(maps.filter((path) => path.endsWith('.d.ts.map')).length).toBeGreaterThan(20);
    expect(sources.length).toBe(maps.length);
    expect(sources.filter((source) => !shipped.includes(source))).toEqual([]);
  });

  it('has the version and the licence of the service, and no dependency', () => {
    const { version, license, engines } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
    const manifest = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8'));
    expect(manifest).toMatchObject({ version, license, engines });
    expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name))).toEqual([]);
    expect(readFileSync(`${FOLDER}LICENSE`, 'utf8')).toBe(readFileSync(`${ROOT}LICENSE`, 'utf8'));
  });
});

describe('a program of Node.js', () => {
  const print = "console.log(parseHandle('10.1000/182').value.localName)";

  it.each([
    ['an ES module', 'module', `import { parseHandle } from '@mintmark/identifier'; ${print}`],
    ['a CommonJS module', 'commonjs', `const { parseHandle } = require('@mintmark/identifier'); ${print}`],
    ['a dependent of the service', 'module', `import { parseHandle } from 'mintmark/identifier'; ${print}`],
  ])('that is %s loads the package', (_, type, program) => {
    const args = ['--disable-warning=ExperimentalWarning', `--input-type=${type}`, '-e', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['182\n', '']);
  });
});
