// Makes the static site of the documents in the folder `site`, from the same files that the repository shows. A link to a page
// or a file that does not exist is an error. The finished site needs no network: its search index and its fonts are files of its own.
import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = join(root, 'site');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'SECURITY.md',
  'packages/identifier/README.md',
  'docs',
];

// The packages are installed outside the tree, which other checks read.
const folder = mkdtempSync(join(tmpdir(), 'mintmark-site-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of ['package.json', 'package-lock.json']) cpSync(new URL(name, import.meta.url), join(folder, name));
cpSync(new URL('config.js', import.meta.url), join(folder, '.vitepress/config.js'));
for (const page of PAGES) {
  cpSync(join(root, page), join(folder, page), {
    recursive: true,
    filter: (path) => !path.startsWith(join(root, 'docs/site')),
  });
}

run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts']);
rmSync(output, { recursive: true, force: true });
run('node', ['node_modules/vitepress/bin/vitepress.js', 'build', '--outDir', output]);

const files = readdirSync(output, { recursive: true });
assert.ok(
  files.some((file) => /localSearchIndex.*\.js$/.test(file)),
  'the site has no search index',
);
const pages = files.filter((file) => file.endsWith('.html'));
for (const page of pages) {
  const loaded = readFileSync(join(output, page), 'utf8').match(
    /<(?:script|link|img)\b[^>]*\b(?:src|href)="(?:https?:)?\/\/[^>]*>/g,
  );
  assert.equal(loaded, null, `${page} loads a file of another host: ${loaded}`);
}
console.log(`${pages.length} pages are in site/`);

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: folder,
    env: { ...process.env, MINTMARK_ROOT: root },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}
