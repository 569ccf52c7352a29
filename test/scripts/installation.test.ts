import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly engines?: { readonly node?: string };
}

const { '': project, ...packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  .packages as Record<string, LockedPackage>;

/** Whether one part of an `engines.node` range, between "||", includes Node.js 20.19.0. */
function includesFloor(part: string): boolean {
  const bounds = [...part.matchAll(/([<>=^~]*)\s*v?(\d+|\*|x)(?:\.(\d+|x))?(?:\.[\w*-]+)*/g)];
  return bounds.every(([, operator, major, minor = '0']) => {
    if (major === '*' || major === 'x') return true;
    const difference = 20 - Number(major) || 19 - Number(minor);
    if (operator === '>=' || operator === '>') return difference >= 0;
    if (operator === '<' || operator === '<=') return difference < 0;
    return Number(major) === 20 && difference >= 0;
  });
}

describe('the lockfile', () => {
  it('has no package that warns of its engine on Node.js 20.19', () => {
    expect(project?.engines?.node).toBe('>=20.19');
    const rejecting = Object.entries(packages).filter(
      ([, { engines }]) => engines?.node !== undefined && !engines.node.split('||').some(includesFloor),
    );
    expect(rejecting.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([]);
  });

  it('has the Prisma CLI, its studio and its engines for development only, so that `npm prune --omit=dev` removes them', () => {
    const names = ['prisma-cli', '@prisma/studio-core', '@prisma/config', '@prisma/engines', 'effect'];
    for (const name of [...names, '@prisma/schema-engine-wasm']) {
      expect([name, packages[`node_modules/${name}`]?.dev]).toEqual([name, true]);
    }
    // npm keeps an optional peer of a package at run time; there must be no other.
    const devOptional = Object.keys(packages).filter((path) => packages[path]?.devOptional === true);
    expect(devOptional).toEqual(['node_modules/typescript']);
  });
});

/** The disk space of a folder in bytes, without the packages inside it. */
function diskSpace(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  const sizes = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? diskSpace(path) : lstatSync(path).blocks;
  });
  return sizes.reduce((sum, blocks) => sum + blocks, statSync(folder).blocks);
}

describe('npm prune --omit=dev', () => {
  it('leaves at most 260 MB', () => {
    const production = Object.entries(packages).filter(([, { dev }]) => dev !== true);
    const installed = production
      .map(([path]) => join(root, path))
      .filter((path) => statSync(path, { throwIfNoEntry: false }));
    const mebibytes = installed.reduce((sum, path) => sum + diskSpace(path), 0) / 2048;
    expect(mebibytes).toBeGreaterThan(100);
    expect(mebibytes).toBeLessThanOrEqual(260);
  });
});

describe('npm ci --omit=dev', () => {
  const prepare = (...existing: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'prepare-'));
    for (const name of ['scripts', ...existing]) mkdirSync(join(folder, name), { recursive: true });
    if (existing.includes('dist')) writeFileSync(join(folder, 'dist/main.js'), '');
    copyFileSync(join(root, 'scripts/prepare.js'), join(folder, 'scripts/prepare.mjs'));
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/prepare.mjs')], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    return { status, stderr };
  };

  it('names the commands that build the service', () => {
    const { status, stderr } = prepare();
    expect(status).toBe(1);
    expect(stderr).toContain('npm ci --include=dev\n  npm prune --omit=dev\n');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('keeps a build that exists', () => {
    const { status, stderr } = prepare('dist');
    expect([status, stderr]).toEqual([0, expect.stringContaining('dist/ is not rebuilt')]);
  });
});
