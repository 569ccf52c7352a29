// Makes what a release has, in the folder release/ and without a network: the package, its bill of materials, the part of the
// changelog, and the SHA-256 of each.
//   npm run release -- --dry-run   only that
//   npm run release                and the tag, whose push lets .github/workflows/release.yml publish the same
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

const OUT = 'release';
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

try {
  release(process.argv.includes('--dry-run'));
} catch (error) {
  console.error(`There is no release: ${error.message}`);
  process.exitCode = 1;
}

function release(isDryRun) {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const tag = `v${version}`;
  const changed = run('git', 'status', '--porcelain').trim();
  if (changed !== '') throw new Error(`these files are not committed:\n${changed}`);
  const tagged = run('git', 'tag', '--list', tag).trim() === '' ? null : run('git', 'rev-list', '-n1', tag).trim();
  if (tagged !== null && tagged !== run('git', 'rev-parse', 'HEAD').trim()) {
    throw new Error(`the tag ${tag} is at another commit; set the next version in package.json`);
  }
  const notes = notesOf(version);

  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  // The output of the scripts precedes the name of the file.
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

/** The part of the changelog about a version. */
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
