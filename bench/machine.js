import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { loadGenerator } from './load/load.js';
import { spread } from './rounds.js';

/** linux/magic.h. On tmpfs fsync has no effect, so a durable commit has no cost. */
const TMPFS = 0x01021994;

const PROBES = 100;

/** Describes the machine and the settings of a measurement, one line each. */
export async function describeMachine(cluster) {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const { type } = await statfs(cluster.folder);
  const disk = type === TMPFS ? 'MEMORY (tmpfs): durability has no cost; set TMPDIR to a disk' : 'disk';
  return [
    `${cpus().length} × ${first.model.trim()}, ${memory}, ${platform()} ${release()} ${arch()}; shared by the load, the service and PostgreSQL; load average before the start ${loadavg()[0].toFixed(1)}`,
    `data on ${disk}; a write of 8 KiB with fsync takes ${fsyncMs(cluster.folder).toFixed(2)} ms`,
    `Node ${process.version}, PostgreSQL ${await cluster.version()}, load by ${loadGenerator}`,
    `PostgreSQL's defaults except max_connections: ${(await cluster.settings()).join(', ')}`,
  ];
}

function fsyncMs(folder) {
  const path = join(folder, 'fsync-probe');
  const file = openSync(path, 'w');
  const block = Buffer.alloc(8192, 1);
  const times = Array.from({ length: PROBES }, () => {
    const started = performance.now();
    writeSync(file, block);
    fsyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  rmSync(path);
  return spread(times).median;
}
