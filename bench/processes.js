import { readFile, readdir } from 'node:fs/promises';

/** The kernel counts processor time in ticks of 1/100 s. */
const TICK_MICROS = 10_000;

/** @returns processor time in microseconds of a process and its descendants; undefined without /proc. */
export async function cpuMicros(pid) {
  const all = await readStats();
  if (all === undefined) return undefined;
  const below = (id) =>
    all.filter(({ parent }) => parent === id).reduce((sum, child) => sum + child.ticks + below(child.pid), 0);
  const own = all.find((process) => process.pid === pid);
  // The time of a child that has ended counts in `endedChildrenTicks` of its parent.
  return own === undefined ? undefined : (own.ticks + own.endedChildrenTicks + below(pid)) * TICK_MICROS;
}

/** @returns current resident memory of a process in MB; undefined without /proc. */
export async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const found = /^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1];
  return found === undefined ? undefined : (Number(found) * 1024) / 1e6;
}

async function readStats() {
  const names = await readdir('/proc').catch(() => undefined);
  const read = names
    ?.filter((name) => /^[0-9]+$/.test(name))
    .map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''));
  return read === undefined ? undefined : (await Promise.all(read)).filter((text) => text !== '').map(readStat);
}

/** Fields of proc(5). The name before them is in parentheses and can contain any character. */
function readStat(text) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(fields[1]),
    ticks: Number(fields[11]) + Number(fields[12]),
    endedChildrenTicks: Number(fields[13]) + Number(fields[14]),
  };
}
