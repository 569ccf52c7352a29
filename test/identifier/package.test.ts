/** The package as others get it: what is shipped, its weight in a browser, and its types. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { faultsOf } from './compile.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = `${ROOT}packages/identifier/`;
const manifest = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8'));

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
    expect(manifest).toMatchObject({ version, license, engines });
    expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name))).toEqual([]);
    expect(readFileSync(`${FOLDER}LICENSE`, 'utf8')).toBe(readFileSync(`${ROOT}LICENSE`, 'utf8'));
  });
});

describe('a browser bundle', () => {
  /** The octets that a browser downloads for a program. */
  const weightOf = async (program: string): Promise<{ code: string; compressed: number }> => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: ROOT },
      ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false, logLevel: 'silent' },
    });
    const { text, contents } = outputFiles[0]!;
    return { code: text, compressed: gzipSync(contents, { level: 9 }).length };
  };

  it.each([
    ['the whole package', '*', 15_000],
    ['parseHandle alone', '{ parseHandle }', 1200],
    ['parseHdlUri alone', '{ parseHdlUri }', 6000],
  ])('with %s has at most a fixed weight', async (_, names, most) => {
    const { compressed } = await weightOf(`export ${names} from '@mintmark/identifier';`);
    expect(compressed).toBeGreaterThan(500);
    expect(compressed).toBeLessThanOrEqual(most);
  });

  it('has nothing of an import that it does not use', async () => {
    expect((await weightOf("import { parseHandle } from '@mintmark/identifier';")).code).toBe('');
  });
});

describe('a program of Node.js', () => {
  const print = "console.log(parseHandle('10.1000/182').value.localName)";

  it.each([
    ['an ES module', ['--input-type=module'], `import { parseHandle } from '@mintmark/identifier'; ${print}`],
    [
      'a CommonJS module',
      ['--input-type=commonjs'],
      `const { parseHandle } = require('@mintmark/identifier'); ${print}`,
    ],
    [
      'a dependent of the service',
      ['--input-type=module'],
      `import { parseHandle } from 'mintmark/identifier'; ${print}`,
    ],
  ])('that is %s loads the package', (_, options, program) => {
    const { stdout, stderr } = spawnSync(process.execPath, [...options, '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([stdout, stderr.replaceAll(/^.*(ExperimentalWarning|--trace-warnings).*\n/gm, '')]).toEqual(['182\n', '']);
  });
});

describe('a program in TypeScript', () => {
  const PROGRAM = `
    import { type CordraId, type Handle, parseHandle, type Result, toCordraId, toResolver, urisOf } from '@mintmark/identifier';
    const read: Result<Handle> = parseHandle('10.1000/182', { charset: 'unicode' });
    export const localName: string | null = read.ok ? read.value.localName : null;
    const id: CordraId = toCordraId('100.102/F58FB49EB1F848F0A606E84CEF294BE5');
    const resolver = toResolver({ scheme: 'https', authority: 'hdl.handle.net' });
    export const url: string | null = urisOf(id, { resolver }).resolver;
  `;

  it('compiles under strict and exactOptionalPropertyTypes, as an ES module and as a CommonJS module', () => {
    expect(faultsOf({ 'consumer.mts': PROGRAM, 'consumer.cts': PROGRAM })).toEqual([]);
  });

  it.each([
    [
      'a value that no parser returned',
      "const handle: Handle = { type: 'handle', namingAuthority: '10', localName: 'x' };",
    ],
    ['a value without a look at the fault', "parseHandle('10.1000/182').value;"],
    ['an unknown option', "parseHandle('10.1000/182', { chars: 'unicode' });"],
    ['a name that the package does not export', "import { brand } from '@mintmark/identifier'; brand;"],
    ['a file of the package', "import { brand } from '@mintmark/identifier/dist/brand.js'; brand;"],
  ])('does not compile with %s', (_, line) => {
    const program = `import { type Handle, parseHandle } from '@mintmark/identifier'; export type { Handle }; parseHandle;\n${line}`;
    expect(faultsOf({ 'consumer.ts': program })).toEqual([expect.stringMatching(/^consumer\.ts:2: /)]);
  });
});
