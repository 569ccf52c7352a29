// `npm pack` runs this script before it packs, to build the service if it is stale and to write sbom.json, the bill of materials
// (CycloneDX) of the runtime dependencies; and afterwards with --remove, to remove sbom.json.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build-if-stale.js';

const root = new URL('../', import.meta.url);
const sbom = new URL('sbom.json', root);

/** The bill of materials, without its time and its random number, so that the same commit gives the same package. */
function sbomOfRunTime() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  const document = JSON.parse(execFileSync('npm', args, { cwd: fileURLToPath(root), maxBuffer: 64 * 1024 * 1024 }));
  delete document.serialNumber;
  delete document.metadata.timestamp;
  return document;
}

if (process.argv.includes('--remove')) rmSync(sbom, { force: true });
else {
  buildIfStale();
  writeFileSync(sbom, `${JSON.stringify(sbomOfRunTime(), null, 1)}\n`);
}
