import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/**
 * Starts the built service on an embedded database in a temporary folder.
 * @returns `{ url, stop }`; `stop` returns whether the service ended correctly.
 */
export async function startOwnService() {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-fuzz-data-'));
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: folder };
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder,
    env: { ...environment, NAMING_AUTHORITIES: '100.102,2000.01', BODY_LIMIT_BYTES: '2097152', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = once(child, 'exit');
  let words = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      words += chunk;
      const found = /Service +(http\S+)/.exec(words)?.[1];
      if (found !== undefined) resolve(found);
    });
    ended.then(() => {
      reject(new Error(`the service did not start: ${words}`));
    });
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      await rm(folder, { recursive: true, force: true });
      return code === 0;
    },
  };
}
