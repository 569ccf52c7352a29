import { spawn, spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const ENVIRONMENT = { LC_ALL: 'C.UTF-8', PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/** PostgreSQL and Patroni reject to run as root. @returns the IDs of the account `postgres`, null for other users. */
export function clusterAccount() {
  if (process.getuid() !== 0) return null;
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  return { uid, gid };
}

/**
 * Starts a program whose working folder is `folder`, by which `processesIn` finds it and all processes that it starts.
 * It ends with this process. Its output is appended to `NAME.log` in the folder.
 */
export function start(folder, name, program, args, { account = null, env = {} } = {}) {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const as = account === null ? [] : ['--reuid', account.uid, '--regid', account.gid, '--init-groups'].map(String);
  return spawn('setpriv', [...as, '--pdeathsig', 'KILL', program, ...args], {
    cwd: folder,
    env: { ...ENVIRONMENT, ...env },
    stdio: ['ignore', log, log],
  });
}

/** @returns the IDs and command lines of the processes whose working folder is `folder` or below it. */
export function processesIn(folder) {
  const found = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const cwd = readlinkSync(`/proc/${name}/cwd`);
      if (cwd !== folder && !cwd.startsWith(`${folder}/`)) continue;
      found.push({ pid, command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() });
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return found;
}

/** Sends a signal to each process; one that has ended is left out. */
export function signal(processes, name) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** Kills all processes of a folder. More than once, because a process may start another one meanwhile. */
export function killAllIn(folder) {
  for (let round = 0; round < 20; round++) {
    const left = processesIn(folder);
    if (left.length === 0) return;
    signal(left, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}
