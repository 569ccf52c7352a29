// The time that Node.js needs to start here, divided by that on the machine for which the limits were chosen: at least 1, at most 4. Time
// limits of tests and of .ci/run are multiplied by this factor, because a machine whose host is busy needs twice as long for everything.
//   node scripts/machine-factor.js   prints the factor
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Milliseconds of a start on the machine for which the limits were chosen: two processors of 2.1 GHz, with nothing else running. */
const START_MS = 50;

const STARTS = 7;

export function machineFactor() {
  const times = Array.from({ length: STARTS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - began;
  }).sort((a, b) => a - b);
  return Math.min(4, Math.max(1, times[Math.floor(STARTS / 2)] / START_MS));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(machineFactor().toFixed(2));
