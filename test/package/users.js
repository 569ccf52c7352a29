// The steps that each user of the package takes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';

/** Variables that npm sets for its scripts would tell the npm of a user about this checkout. */
const OWN = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_)|NODE_ENV$|DATABASE_URL$)/.test(name)),
);

/** Runs a program to its end. @returns its output. */
export function run(program, args, { cwd, env = {} }) {
  const options = { cwd, env: { ...OWN, ...env }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

/** Starts a service as the leader of a process group, as a terminal does, and waits until it is ready. */
export async function start(program, args, { cwd, env = {}, ...account }) {
  const child = spawn(program, args, { cwd, env: { ...OWN, PORT: '0', ...env }, detached: true, ...account });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let [log, words] = ['', ''];
  child.stdout.on('data', (chunk) => (log += chunk));
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      words += chunk;
      const found = /Service +(http\S+)/.exec(words)?.[1];
      if (found !== undefined && words.includes('Ctrl-C')) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`${program} ended with ${code}: ${words}`)));
  });
  return {
    url,
    child,
    /** Waits for the end of all processes that share the output, and asserts that the service stopped in order. */
    async ended() {
      await ended;
      assert.match(log, /"msg":"stopped"/);
    },
    /** Sends what Ctrl-C sends. */
    async stop() {
      process.kill(-child.pid, 'SIGINT');
      await this.ended();
    },
  };
}

const TARGET = 'https://repo.example.org/objects/7';

/** Mints, looks up, resolves, stops, starts again, and looks up and resolves what was minted. */
export async function use(startService, headers = {}) {
  const first = await startService();
  const minted = await fetch(`${first.url}/identifiers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ namingAuthority: '100.102', target: TARGET }),
  });
  assert.equal(minted.status, 201, await minted.clone().text());
  const { identifier } = await minted.json();
  await find(first.url, identifier);
  await first.stop();
  const again = await startService();
  await find(again.url, identifier);
  return again;
}

async function find(url, identifier) {
  const record = await (await fetch(`${url}/identifiers/${identifier}`)).json();
  assert.deepEqual([record.identifier, record.target, record.state], [identifier, TARGET, 'active']);
  const resolved = await fetch(`${url}/${identifier}`, { redirect: 'manual' });
  assert.deepEqual([resolved.status, resolved.headers.get('location')], [302, TARGET]);
  const page = await fetch(`${url}/docs`);
  assert.equal(page.status, 200);
}
