// Makes the files of a release, in the folder release/ and without a network: the package, its bill of materials, the part of the
// changelog, and the SHA-256 of each.
//   npm run release -- --version 1.2.0   writes the version into every file that has it and into the changelog, to be read and committed
//   npm run release -- --dry-run         makes the files of the version in package.json
//   npm run release                      makes these files and the tag; if the tag is pushed, .github/workflows/release.yml publishes them
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const OUT = 'release';
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** Files in which the text of the version is not replaced: the lockfile, which has versions of other packages, and texts about old ones. */
const WITH_OTHER_VERSIONS = ['package-lock.json', 'CHANGELOG.md', 'test/package/releases'];

try {
  const { values } = parseArgs({ options: { version: { type: 'string' }, 'dry-run': { type: 'boolean' } } });
  if (values.version === undefined) release(values['dry-run'] === true);
  else writeVersion(values.version);
} catch (error) {
  console.error(`There is no release: ${error.message}`);
  process.exitCode = 1;
}

function writeVersion(next) {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(next))
    throw new Error(`"${next}" is not a version, such as 1.2.0-beta.1`);
  requireCommitted();
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const log = readFileSync('CHANGELOG.md', 'utf8');
  if (!/^## \[Unreleased\]$/m.test(log))
    throw new Error('CHANGELOG.md has no part "## [Unreleased]" about the changes');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync('CHANGELOG.md', log.replace(/^## \[Unreleased\]$/m, `## [${next}] - ${today}`));

  const others = WITH_OTHER_VERSIONS.map((path) => `:!${path}`);
  const files = run('git', 'grep', '-I', '-l', '-F', version, '--', ...others);
  const word = new RegExp(`(?<![\\w.])${version.replaceAll('.', '\\.')}(?![\\w-]|\\.\\d)`, 'g');
  for (const file of files.trim().split('\n')) {
    writeFileSync(file, readFileSync(file, 'utf8').replace(word, next));
  }
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { '': root, ...entries } = lockfile.packages;
  const own = Object.entries(entries).filter(([path]) => !path.startsWith('node_modules/'));
  for (const entry of [lockfile, root, ...own.map(([, each]) => each)]) entry.version = next;
  for (const [, each] of own) if (each.name in (root.dependencies ?? {})) root.dependencies[each.name] = next;
  writeFileSync('package-lock.json', `${JSON.stringify(lockfile, null, 2)}\n`);
  console.log(
    `${name} ${next} is written. Read the changes, run the tests, and commit:\n${run('git', 'diff', '--stat')}`,
  );
}

function requireCommitted() {
  const changed = run('git', 'status', '--porcelain').trim();
  if (changed !== '') throw new Error(`these files are not committed:\n${changed}`);
}

function release(isDryRun) {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const tag = `v${version}`;
  requireCommitted();
  const tagged = run('git', 'tag', '--list', tag).trim() === '' ? null : run('git', 'rev-list', '-n1', tag).trim();
  if (tagged !== null && tagged !== run('git', 'rev-parse', 'HEAD').trim()) {
    throw new Error(`the tag ${tag} is at another commit; set the next version in package.json`);
  }
  const notes = notesOf(version);

  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  // `npm pack` prints the output of its scripts before the name of the file.
  const packed = run('npm', 'pack', '--silent', '--pack-destination', OUT).trim().split('\n').at(-1);
  writeFileSync(`${OUT}/${name}-${version}.sbom.json`, run('tar', '-xOzf', `${OUT}/${packed}`, 'package/sbom.json'));
  writeFileSync(`${OUT}/notes.md`, notes);
  const sums = readdirSync(OUT)
    .sort()
    .map((file) => {
      const digest = createHash('sha256')
        .update(readFileSync(`${OUT}/${file}`))
        .digest('hex');
      return `${digest}  ${file}\n`;
    });
  writeFileSync(`${OUT}/SHA256SUMS`, sums.join(''));
  process.stdout.write(sums.join(''));
  if (isDryRun || tagged !== null) return;
  run('git', 'tag', '--annotate', '--message', `${name} ${version}`, tag);
  console.log(`The tag ${tag} is made. To publish: git push origin ${tag}`);
}

function notesOf(version) {
  const [, title = '', notes = ''] =
    readFileSync('CHANGELOG.md', 'utf8')
      .split(/^## /m)
      .map((part) => /^(.*)\n([^]*)$/.exec(part))
      .find((part) => part?.[1].startsWith(`[${version}]`)) ?? [];
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(title)) {
    throw new Error(`CHANGELOG.md has no part "## [${version}] - " with the day of the release`);
  }
  return `${notes.trim()}\n`;
}
