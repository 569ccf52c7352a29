// Runs tests and compares what they cover, by folder of src/ and of packages/, with the floors of test/coverage.json:
//   npm run coverage                       the unit tests, for the folders whose rules they test
//   npm run coverage -- --all              all tests but those of limits, with the services that they start
//   npm run coverage -- --report [--all]   runs no tests, and prints what the last run covered
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CoverageReport } from 'monocart-coverage-reports';

/** Files that test a limit of time or memory. They are left out, because coverage makes a service several times as slow. */
const LIMITS = '/e2e/(http/(large-requests|unread-responses)|faults/frozen-\\w+|minting/bulk-memory)\\.e2e';

const root = fileURLToPath(new URL('../', import.meta.url));
const kind = process.argv.includes('--all') ? 'all' : 'unit';
const counted = `${root}coverage/v8-${kind}`;

if (!process.argv.includes('--report')) {
  rmSync(counted, { recursive: true, force: true });
  const args = kind === 'all' ? ['--testPathIgnorePatterns', LIMITS] : ['--selectProjects', 'unit'];
  const env = { ...process.env, NODE_V8_COVERAGE: counted, ...(kind === 'all' ? { SERVICES_COVERED: '1' } : {}) };
  const { status } = spawnSync(process.execPath, ['scripts/test.js', ...args], { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const isOwn = (url) =>
  /\/dist\/(?!database\/generated\/|service\.js$).*\.js$/.test(url) && !url.includes('node_modules');
const report = new CoverageReport({
  ...{ name: 'coverage', baseDir: root, outputDir: `${root}coverage/report-${kind}`, logging: 'error' },
  reports: ['lcovonly'],
  // Includes the files that no process loaded, as not covered.
  all: { dir: [`${root}dist`, `${root}packages/identifier/dist`], filter: (path) => isOwn(`/${path}`) },
  entryFilter: ({ url }) => isOwn(url),
  sourceFilter: (path) => /^(packages\/[^/]+\/)?src\//.test(path),
  // A source map names sources by relative paths; the path of the compiled file tells to which package they belong.
  sourcePath: (path, { distFile = '' }) => {
    const source = path.replace(/^.*?(?=src\/)/, '');
    return source.startsWith('src/') ? `${/^packages\/[^/]+\//.exec(distFile)?.[0] ?? ''}${source}` : source;
  },
});
await report.addFromDir(counted);
const { files } = await report.generate();

const floors = JSON.parse(readFileSync(`${root}test/coverage.json`, 'utf8'))[kind];
const pathOf = (folder) => (folder.startsWith('packages/') ? folder : `src/${folder}`);
const measures = ['lines', 'branches'];
const missed = [];
for (const [folder, floor] of Object.entries(floors)) {
  const summaries = files.filter(({ sourcePath }) => sourcePath.startsWith(pathOf(folder))).map((file) => file.summary);
  const percents = measures.map((measure) => {
    const sum = (key) => summaries.reduce((total, summary) => total + summary[measure][key], 0);
    // A folder without branches counts as covered.
    return sum('total') === 0 ? 100 : Math.floor((1000 * sum('covered')) / sum('total')) / 10;
  });
  const isMissed = measures.some((measure, index) => percents[index] < floor[measure]);
  const figures = measures.map((measure, index) => `${percents[index]} % of ${measure} (${floor[measure]})`);
  console.log(`${isMissed ? 'BELOW ' : ''}${folder.padEnd(20)} ${figures.join(', ')}`);
  if (isMissed || summaries.length === 0) missed.push(folder);
}
for (const { sourcePath } of files) {
  const isKnown = Object.keys(floors).some((folder) => sourcePath.startsWith(pathOf(folder)));
  if (kind === 'all' && !isKnown) missed.push(sourcePath);
}
if (missed.length > 0) {
  console.error(`below their floor in test/coverage.json, or without one: ${missed.join(', ')}`);
  process.exitCode = 1;
}
