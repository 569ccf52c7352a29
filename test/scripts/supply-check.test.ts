import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const script = fileURLToPath(new URL('scripts/supply-check.js', root));
const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

/** Runs the check on changed copies of this project's files. */
function check(change: (lockfile: any, manifest: any) => void): { status: number | null; stderr: string } {
  const [lockfile, manifest] = [read('package-lock.json'), read('package.json')];
  change(lockfile, manifest);
  const folder = mkdtempSync(join(tmpdir(), 'supply-'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockfile));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const ran = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return ran;
}

describe('npm run check:supply', () => {
  it('finds nothing in the lockfile as it is', () => {
    const { status, stderr } = check(() => {});
    expect([status, stderr]).toEqual([0, '']);
  });

  const pino = 'node_modules/pino';

  it.each<[string, (lockfile: any, manifest: any) => void, string]>([
    ['no digest', ({ packages }) => delete packages[pino].integrity, `${pino} has no SHA-512`],
    ['a weak digest', ({ packages }) => (packages[pino].integrity = 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='), 'no SHA-512'],
    [
      'an address without TLS',
      ({ packages }) => (packages[pino].resolved = 'http://registry.npmjs.org/pino/-/pino-10.4.0.tgz'),
      `${pino} comes from http://`,
    ],
    [
      'an address of another host',
      ({ packages }) => (packages[pino].resolved = 'https://registry.npmjs.org.evil.example/pino.tgz'),
      `${pino} comes from https://registry.npmjs.org.evil`,
    ],
    ['a link', ({ packages }) => (packages[pino].link = true), `${pino} is a link`],
    [
      'a link to a folder that is no workspace',
      ({ packages }) => (packages['node_modules/@mintmark/identifier'].resolved = 'packages/other'),
      'node_modules/@mintmark/identifier is a link',
    ],
    [
      'a dependency from a repository',
      ({ packages }) => (packages[''].dependencies.pino = 'github:pinojs/pino'),
      'requires pino as github:pinojs/pino',
    ],
    [
      'a dependency of a dependency from an address',
      ({ packages }) => (packages[pino].dependencies['on-exit-leak-free'] = 'https://evil.example/x.tgz'),
      `${pino} requires on-exit-leak-free as https://`,
    ],
    [
      'a package with a new install script',
      ({ packages }) => (packages[pino].hasInstallScript = true),
      'pino has an install script',
    ],
    [
      'a decision on a script taken back',
      (_, { allowScripts }) => delete allowScripts.prisma,
      'prisma has an install script',
    ],
    ['a decision on no script', (_, { allowScripts }) => (allowScripts.pino = true), 'allowScripts names pino'],
  ])('finds %s', (_, change, words) => {
    const { status, stderr } = check(change);
    expect(status).toBe(1);
    expect(stderr).toContain(words);
  });
});

describe('npm run sbom', () => {
  it('lists every package of run time with digest and licence, and marks none of them as for development', () => {
    const { stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const { bomFormat, components } = JSON.parse(stdout);
    expect(bomFormat).toBe('CycloneDX');
    const listed = new Map<string, any>(components.map((component: any) => [component['bom-ref'], component]));
    // Optional packages are for other platforms and not installed.
    const needed = Object.entries<any>(read('package-lock.json').packages).filter(
      ([path, { dev, devOptional, optional, link }]) =>
        path.startsWith('node_modules/') && !dev && !devOptional && !optional && !link,
    );
    expect(needed.length).toBeGreaterThan(100);
    for (const [path, { version }] of needed) {
      const name = `${path.replace(/^.*node_modules\//, '')}@${version}`;
      const { hashes, licenses, properties = [] } = listed.get(name) ?? {};
      expect([name, hashes?.[0]?.alg, licenses?.length]).toEqual([name, 'SHA-512', 1]);
      expect([name, properties.filter((property: any) => /development/.test(property.name))]).toEqual([name, []]);
    }
  });
});
