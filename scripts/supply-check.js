// Checks the lockfile by the rules of docs/reference/dependencies.md: only packages of the registry, each with its SHA-512, and
// a decision about each install script. Optional argument: the folder of another lockfile.
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const REGISTRY = 'https://registry.npmjs.org/';

const folder = process.argv[2] === undefined ? new URL('../', import.meta.url) : pathToFileURL(`${process.argv[2]}/`);
const [lockfile, manifest] = await Promise.all(
  ['package-lock.json', 'package.json'].map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8'))),
);
const faults = [];
const withScripts = new Set();
/** The packages of this repository, which are folders. */
const workspaces = manifest.workspaces ?? [];

for (const [path, entry] of Object.entries(lockfile.packages)) {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  for (const [name, range] of kinds.flatMap((kind) => Object.entries(entry[kind] ?? {}))) {
    // Version ranges and aliases are permitted; URLs, repositories and files are not.
    if (/[:/]/.test(range.replace(/^npm:@?[^@]+/, ''))) {
      faults.push(`${path || 'package.json'} requires ${name} as ${range}, which is not a version`);
    }
  }
  if (path === '' || workspaces.includes(path)) continue;
  if (entry.link === true && workspaces.includes(entry.resolved)) continue;
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) faults.push(`${path} has no SHA-512`);
  if (entry.link === true) faults.push(`${path} is a link`);
  // Without an address, npm uses the configured registry.
  if (entry.resolved !== undefined && !entry.resolved.startsWith(REGISTRY)) {
    faults.push(`${path} comes from ${entry.resolved}`);
  }
  if (entry.hasInstallScript === true) withScripts.add(entry.name ?? path.replace(/^.*node_modules\//, ''));
}

const decided = manifest.allowScripts ?? {};
for (const name of withScripts) {
  if (typeof decided[name] !== 'boolean') faults.push(`${name} has an install script, but no entry in allowScripts`);
}
for (const name of Object.keys(decided)) {
  if (!withScripts.has(name)) faults.push(`allowScripts names ${name}, which has no install script`);
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
