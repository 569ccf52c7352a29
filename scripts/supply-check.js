// Holds the lockfile to what docs/reference/dependencies.md promises of it: nothing but packages of the registry, each with the
// SHA-512 of what was reviewed, and a decision about every install script. Reads the folder that is named, or this one.
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const REGISTRY = 'https://registry.npmjs.org/';

const folder = process.argv[2] === undefined ? new URL('../', import.meta.url) : pathToFileURL(`${process.argv[2]}/`);
const [lockfile, manifest] = await Promise.all(
  ['package-lock.json', 'package.json'].map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8'))),
);
const faults = [];
const withScripts = new Set();

for (const [path, entry] of Object.entries(lockfile.packages)) {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  for (const [name, range] of kinds.flatMap((kind) => Object.entries(entry[kind] ?? {}))) {
    // A range of versions, or an alias to one: no address, no repository, no file.
    if (/[:/]/.test(range.replace(/^npm:@?[^@]+/, ''))) {
      faults.push(`${path || 'package.json'} asks for ${name} by ${range}, which is no version`);
    }
  }
  if (path === '') continue;
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) faults.push(`${path} has no SHA-512`);
  if (entry.link === true) faults.push(`${path} is a link`);
  // The lockfile may leave addresses out, and npm then takes the package from the registry that it is set to.
  if (entry.resolved !== undefined && !entry.resolved.startsWith(REGISTRY)) {
    faults.push(`${path} comes from ${entry.resolved}`);
  }
  if (entry.hasInstallScript === true) withScripts.add(entry.name ?? path.replace(/^.*node_modules\//, ''));
}

const decided = manifest.allowScripts ?? {};
for (const name of withScripts) {
  if (typeof decided[name] !== 'boolean')
    faults.push(`${name} has an install script that allowScripts says nothing of`);
}
for (const name of Object.keys(decided)) {
  if (!withScripts.has(name)) faults.push(`allowScripts names ${name}, which has no install script`);
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
