import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../../scripts/release.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mintmark-release-'));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
};

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgSign=false'];
  return spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).stdout;
}

function commit(): void {
  git('add', '--all');
  git('commit', '--message', 'x');
}

/** Without a registry. */
function release(...args: string[]) {
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9', GIT_COMMITTER_NAME: 'a' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    ...{ cwd: folder, encoding: 'utf8', env: { ...env, GIT_COMMITTER_EMAIL: 'a@example.org' } },
  });
  return { status, stdout, stderr };
}

beforeAll(() => {
  git('init');
  write('.gitignore', 'release/\n');
  write('package.json', '{"name":"example","version":"1.2.0-beta.1","files":["sbom.json"]}');
  write('sbom.json', '{"bomFormat":"CycloneDX"}');
  write('CHANGELOG.md', '# Changelog\n\n## [1.2.0-beta.1] - 2026-11-26\n\nNew.\n\n## [1.1.0] - 2026-01-01\n\nOld.\n');
  commit();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('npm run release -- --dry-run', () => {
  it('writes the package, its bill of materials, the notes and the checksums of all, and makes no tag', () => {
    expect(release('--dry-run')).toMatchObject({ status: 0, stderr: '' });
    const made = ['example-1.2.0-beta.1.sbom.json', 'example-1.2.0-beta.1.tgz', 'notes.md'];
    expect(readdirSync(join(folder, 'release')).sort()).toEqual(['SHA256SUMS', ...made]);
    expect(read('release/notes.md')).toBe('New.\n');
    expect(read('release/example-1.2.0-beta.1.sbom.json')).toBe('{"bomFormat":"CycloneDX"}');
    const digest = (name: string) =>
      createHash('sha256')
        .update(readFileSync(join(folder, 'release', name)))
        .digest('hex');
    expect(read('release/SHA256SUMS')).toBe(made.map((name) => `${digest(name)}  ${name}\n`).join(''));
    expect(git('tag')).toBe('');
  });

  it('is rejected with a file that is not committed', () => {
    write('new.txt', '');
    expect(release('--dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not committed:\n?? new.txt'),
    });
    rmSync(join(folder, 'new.txt'));
  });

  it('is rejected where the changelog has no part, or no day, of the version', () => {
    for (const title of ['[Unreleased]', '[1.2.0-beta.1]', '[1.2.0-beta.10] - 2026-11-26']) {
      write('CHANGELOG.md', `# Changelog\n\n## ${title}\n\nNew.\n`);
      commit();
      const { status, stderr } = release('--dry-run');
      expect([status, stderr]).toEqual([
        1,
        'There is no release: CHANGELOG.md has no part "## [1.2.0-beta.1] - " with the day of the release\n',
      ]);
    }
  });
});

describe('npm run release -- --version', () => {
  it('writes the version into every file that has it, and a day into the changelog', () => {
    const lockfile = {
      version: '1.2.0-beta.1',
      packages: {
        '': { version: '1.2.0-beta.1', dependencies: { own: '1.2.0-beta.1', other: '1.2.0-beta.1' } },
        'node_modules/other': { version: '1.2.0-beta.1' },
        own: { name: 'own', version: '1.2.0-beta.1' },
      },
    };
    write('package-lock.json', JSON.stringify(lockfile));
    write('guide.md', 'example-1.2.0-beta.1.tgz, not 11.2.0-beta.1 and 1.2.0-beta.10; of version 1.2.0-beta.1.');
    write('CHANGELOG.md', '# Changelog\n\n## [1.2.0-beta.1] - 2026-11-26\n\nOld.\n');
    commit();
    expect(release('--version', '1.2.0')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'There is no release: CHANGELOG.md has no part "## [Unreleased]" about the changes\n',
    });
    write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\nNew.\n\n## [1.2.0-beta.1] - 2026-11-26\n\nOld.\n');
    commit();
    expect(release('--version', 'v1.2.0').stderr).toContain('"v1.2.0" is not a version, such as 1.2.0-beta.1');
    expect(release('--version', '1.2.0')).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.2.0' });
    expect(JSON.parse(read('package-lock.json'))).toEqual({
      version: '1.2.0',
      packages: {
        '': { version: '1.2.0', dependencies: { own: '1.2.0', other: '1.2.0-beta.1' } },
        'node_modules/other': { version: '1.2.0-beta.1' },
        own: { name: 'own', version: '1.2.0' },
      },
    });
    expect(read('guide.md')).toBe('example-1.2.0.tgz, not 11.2.0-beta.1 and 1.2.0-beta.10; of version 1.2.0.');
    const day = new Date().toISOString().slice(0, 10);
    expect(read('CHANGELOG.md')).toBe(
      `# Changelog\n\n## [1.2.0] - ${day}\n\nNew.\n\n## [1.2.0-beta.1] - 2026-11-26\n\nOld.\n`,
    );
    expect(release('--dry-run').stderr).toContain('not committed');
    git('checkout', '--', '.');
  });
});

describe('npm run release', () => {
  it('tags the commit, and is rejected at a later commit with the same version', () => {
    write('CHANGELOG.md', '## [1.2.0-beta.1] - 2026-11-26\n');
    commit();
    expect(release()).toMatchObject({ status: 0, stdout: expect.stringContaining('git push origin v1.2.0-beta.1') });
    expect(git('tag')).toBe('v1.2.0-beta.1\n');
    expect(release()).toMatchObject({ status: 0 });
    write('CHANGELOG.md', '## [1.2.0-beta.1] - 2026-11-27\n');
    commit();
    expect(release().stderr).toContain('the tag v1.2.0-beta.1 is at another commit');
  });
});

describe('the package of each release', () => {
  it('is kept, unchanged, for the tests of upgrades', () => {
    const folder = new URL('../package/releases/', import.meta.url);
    const lines = readFileSync(new URL('SHA256SUMS', folder), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => line.slice(66))).toEqual(
      readdirSync(folder)
        .filter((name) => name.endsWith('.tgz'))
        .sort(),
    );
    for (const line of lines) {
      const file = readFileSync(new URL(line.slice(66), folder));
      expect(line.slice(0, 64)).toBe(createHash('sha256').update(file).digest('hex'));
    }
  });
});

describe('the version of package.json', () => {
  const root = new URL('../../', import.meta.url);
  const readFile = (name: string) => readFileSync(new URL(name, root), 'utf8');
  const { version } = JSON.parse(readFile('package.json')) as { version: string };

  it.each([
    ['Dockerfile', (text: string) => /image\.version="([^"]+)"/.exec(text)?.[1]],
    ['deploy/kubernetes/mintmark.yaml', (text: string) => /image: mintmark:(\S+)/.exec(text)?.[1]],
    ['packages/identifier/package.json', (text: string) => (JSON.parse(text) as { version: string }).version],
    ['openapi/openapi.json', (text: string) => (JSON.parse(text) as { info: { version: string } }).info.version],
    ['docs/how-to/install-the-package.md', (text: string) => /mintmark-(\S+)\.tgz/.exec(text)?.[1]],
  ])('is that of %s', (name, versionIn) => {
    expect(versionIn(readFile(name))).toBe(version);
  });
});
