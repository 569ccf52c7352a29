import { execFile, spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AUTHORITY } from './rows.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Maximum database connections of each server with a pool, except nest-lean. */
export const POOL_SIZE = 20;

/** HTTP servers: the service and the baselines. */
export class Servers {
  #running = [];

  /** @param profile folder for CPU profiles of the service; undefined for none. */
  constructor(cluster, profile) {
    this.cluster = cluster;
    this.profile = profile;
  }

  /**
   * The service as it is delivered, without a log of requests.
   * @param root the checkout whose build is started.
   */
  mintmark(database, variables = {}, root = ROOT) {
    const profiling = this.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${this.profile}`];
    return this.#start('mintmark', [...profiling, join(root, 'dist/main.js')], {
      ...this.#environment(database),
      ACCESS: 'open',
      NAMING_AUTHORITIES: AUTHORITY,
      LOG_LEVEL: 'warn',
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      ...variables,
    });
  }

  /** Fastify alone: every GET and POST returns the text of a file as JSON. */
  fastify(responseFile) {
    return this.#start('fastify', [join(ROOT, 'bench/baselines/fastify.js')], { RESPONSE_FILE: responseFile });
  }

  /** Fastify alone: parses the body of every POST and serializes the JSON of a file. */
  fastifyJson(responseFile) {
    return this.#start('fastify-json', [join(ROOT, 'bench/baselines/fastify-json.js')], {
      RESPONSE_FILE: responseFile,
    });
  }

  /** NestJS on Fastify with the coalesced look-up of the service, and no other part of it. */
  nestLean(database) {
    return this.#start('nest-lean', [join(ROOT, 'bench/baselines/nest-lean.js')], this.#environment(database));
  }

  /** Fastify alone: every GET returns the response in a file, which is a redirect in the workload "resolve". */
  fastifyRedirect(responseFile) {
    return this.#start('fastify-redirect', [join(ROOT, 'bench/baselines/fastify-redirect.js')], {
      RESPONSE_FILE: responseFile,
    });
  }

  /** Fastify and pg, with one INSERT for each request. */
  fastifyPg(database, variables = {}) {
    return this.#start('fastify-pg', [join(ROOT, 'bench/baselines/fastify-pg.js')], {
      ...this.#environment(database),
      ...variables,
    });
  }

  /** NestJS, ValidationPipe and Prisma's client, as in their documentation. */
  async prismaBaseline(database) {
    const main = await this.#compileBaseline();
    return this.#start('prisma-baseline', [main], this.#environment(database));
  }

  async stopAll() {
    for (const server of this.#running.splice(0)) await server.stop();
  }

  #environment(database) {
    return { DATABASE_URL: this.cluster.url(database), POOL_SIZE: String(POOL_SIZE) };
  }

  async #start(name, args, variables) {
    const started = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: this.cluster.folder,
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const server = {
      name,
      pid: child.pid,
      started,
      stop: () => {
        child.kill('SIGTERM');
        return ended;
      },
    };
    this.#running.push(server);
    server.url = await listening(name, child);
    return server;
  }

  /** The baseline is TypeScript because of its decorators; its compiled files find their packages through a link. */
  async #compileBaseline() {
    const folder = join(this.cluster.folder, 'baseline');
    const made = await mkdir(folder, { recursive: true });
    if (made !== undefined) {
      await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      const tsc = [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '--project',
        join(ROOT, 'bench/baselines/prisma-baseline'),
      ];
      await promisify(execFile)(process.execPath, [...tsc, '--outDir', folder]);
    }
    return join(folder, 'bench/baselines/prisma-baseline/main.js');
  }
}

function listening(name, child) {
  return new Promise((resolve, reject) => {
    let words = '';
    child.stderr.on('data', (chunk) => {
      words += chunk;
      const found = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(words)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('close', (code) => {
      reject(new Error(`${name} ended with ${code}: ${words}`));
    });
  });
}
