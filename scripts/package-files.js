// `npm pack` calls it before and after: writes what the package has besides files of the checkout, or removes it with --remove.
//   npm-shrinkwrap.json   the packages of run time in package-lock.json, because overrides and pins do not reach an installation
//   sbom.json             their bill of materials, CycloneDX
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build-if-stale.js';

const root = new URL('../', import.meta.url);
const [shrinkwrap, sbom] = ['npm-shrinkwrap.json', 'sbom.json'].map((name) => new URL(name, root));

/** The lockfile without packages for development. The package of this repository, a folder here, is bundled. */
export function shrinkwrapOf(lockfile) {
  const {
    '': { devDependencies: _dev, workspaces = [], ...project },
    ...locked
  } = lockfile.packages;
  const packages = { '': project };
  for (const [path, entry] of Object.entries(locked)) {
    if (entry.dev || entry.devOptional || workspaces.includes(path)) continue;
    const { name: _name, ...bundled } = lockfile.packages[entry.resolved] ?? {};
    packages[path] = entry.link ? { ...bundled, inBundle: true } : entry;
  }
  return { ...lockfile, packages };
}

/** Without the time and the random number, so that the same commit gives the same package. */
function sbomOfRunTime() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  const document = JSON.parse(execFileSync('npm', args, { cwd: fileURLToPath(root), maxBuffer: 64 * 1024 * 1024 }));
  delete document.serialNumber;
  delete document.metadata.timestamp;
  return document;
}

const write = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 1)}\n`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--remove')) for (const file of [shrinkwrap, sbom]) rmSync(file, { force: true });
  else {
    buildIfStale();
    // Before the other file, which npm would read instead of package-lock.json.
    write(sbom, sbomOfRunTime());
    write(shrinkwrap, shrinkwrapOf(JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))));
  }
}
