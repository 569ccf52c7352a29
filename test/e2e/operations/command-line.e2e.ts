import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mintmark-command-line-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs a program of the checkout in an empty folder. */
function run(program: string, options: readonly string[], nodeOptions: readonly string[] = []) {
  const args = [...nodeOptions, join(root, program), ...options];
  // A start would fail because of the port.
  const env = { PATH: process.env.PATH, PORT: 'none' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

describe.each(['dist/main.js', 'scripts/start.js'])('node %s', (program) => {
  it.each(['--version', 'version'])('%s prints the version of package.json', (words) => {
    expect(run(program, [words])).toEqual({ status: 0, stdout: '0.1.0-beta.1\n', stderr: '' });
    expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version).toBe('0.1.0-beta.1');
  });

  it('--help names the commands and where the settings are described', () => {
    const { status, stdout, stderr } = run(program, ['--help']);
    expect([status, stderr]).toEqual([0, '']);
    for (const words of [
      'serve',
      'migrate',
      'doctor',
      '--version',
      '.env.example',
      'docs/reference/configuration.md',
    ]) {
      expect(stdout).toContain(words);
    }
  });

  it.each<[string[], string]>([
    [['--port=80'], "error: unknown option '--port=80'"],
    [['migrate', '--play'], "error: unknown option '--play'"],
    [['migrat'], "error: unknown command 'migrat'"],
    [
      ['doctor', '--records', 'all'],
      "error: option '--records <n>' argument 'all' is invalid. It must be a whole number.",
    ],
  ])('rejects %j, and starts nothing', (args, words) => {
    const { status, stdout, stderr } = run(program, args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.split('\n')[0]).toBe(words);
    expect(stderr).toContain('Settings are environment variables; --help prints the commands and options.\n');
  });

  it.each(['20.18.3', '18.20.8', '16.20.2'])('says in one sentence that Node.js %s is too old', (version) => {
    const fake = join(folder, `node-${version}.cjs`);
    writeFileSync(fake, `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`);
    const { status, stdout, stderr } = run(program, [], ['--require', fake]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`Mintmark requires Node.js 20.19 or later; this is Node.js ${version}.\n`);
  });

  it.each([[[]], [['serve']]])('%j reads its configuration with this version of Node.js', (args) => {
    expect(run(program, args).stderr).toContain('PORT must be a whole number');
  });
});

describe('npm start before the build', () => {
  it('says in one sentence what to do', () => {
    mkdirSync(join(folder, 'unbuilt/scripts'), { recursive: true });
    cpSync(join(root, 'scripts/start.js'), join(folder, 'unbuilt/scripts/start.js'));
    cpSync(join(root, 'package.json'), join(folder, 'unbuilt/package.json'));
    const { status, stdout, stderr } = spawnSync('npm', ['start', '--silent'], {
      ...{ cwd: join(folder, 'unbuilt'), encoding: 'utf8' },
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'Mintmark is not built: run "npm ci", which builds it, or "npm run build" after a change of the source.\n',
    );
  });
});
