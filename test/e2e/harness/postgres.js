// A PostgreSQL server of the tests. It writes nothing durably: a process that is killed loses no data, because the system keeps
// what was written; a loss of power would. Tests of durability itself start the embedded PostgreSQL of the service.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { choosePostgresAccount } from '../../../dist/database/embedded/postgres-account.js';
import { findPostgresBinaries } from '../../../dist/database/embedded/postgres-binaries.js';
import { freePort } from './free-port.js';

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  ...['fsync=off', 'full_page_writes=off', 'max_wal_size=4GB'],
];

/** The folder in which Debian installs the programs of a major version. */
const folderOf = (major) => `/usr/lib/postgresql/${major}/bin`;

/**
 * Whether Debian's package of a major version is installed.
 * @param {number} major
 */
export const isInstalled = (major) => existsSync(join(folderOf(major), 'initdb'));

const programsOf = (major) => {
  const [initdb, pg_ctl, postgres] = ['initdb', 'pg_ctl', 'postgres'].map((name) => join(folderOf(major), name));
  return { initdb, pg_ctl, postgres };
};

export class Postgres {
  /**
   * Creates a server in a temporary folder, and starts it.
   * @param {{ major?: number, password?: string }} options `major`: that of Debian's package instead of the embedded one;
   *   `password`: required of each session; by default none is.
   */
  static async start({ major, password } = {}) {
    const programs = major === undefined ? await findPostgresBinaries() : programsOf(major);
    const folder = await mkdtemp(join(tmpdir(), 'mintmark-postgres-'));
    const account = choosePostgresAccount(programs, folder);
    await account.own(folder);
    const server = new Postgres(programs, account, folder, await freePort(), password);
    await server.initialize();
    await server.launch();
    return server;
  }

  #programs;
  #account;
  #folder;
  #password;
  #copies = 0;

  /** @private */
  constructor(programs, account, folder, port, password) {
    this.#programs = programs;
    this.#account = account;
    this.#folder = folder;
    this.#password = password;
    this.port = port;
    /** The data folder. */
    this.data = join(folder, 'data');
  }

  /** `postgres` has a password, as where an operator creates the role `mintmark` by the guides. */
  get #superuser() {
    return this.#password === undefined ? 'mintmark' : 'postgres';
  }

  /** The URL of the superuser. */
  get url() {
    const account = this.#password === undefined ? this.#superuser : `${this.#superuser}:${this.#password}`;
    return `postgresql://${account}@127.0.0.1:${this.port}/postgres`;
  }

  /** @private */
  async initialize() {
    const authentication =
      this.#password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', '--pwfile=password'];
    if (this.#password !== undefined) await this.#write(join(this.#folder, 'password'), this.#password);
    const options = ['-D', this.data, `--username=${this.#superuser}`, '--encoding=UTF8', '--locale=C', '--no-sync'];
    await this.#run(this.#programs.initdb, [...options, ...authentication]);
  }

  /** Starts the server as what its data folder makes it: a primary, or a standby. */
  launch() {
    const options = [`-p ${this.port}`, ...SETTINGS.map((setting) => `-c ${setting}`)].join(' ');
    return this.#control('start', '-l', join(this.data, 'log'), '-o', options);
  }

  /**
   * Starts the stopped server in recovery, as a standby whose primary is gone, or as a primary.
   * @param {'standby' | 'primary'} role
   */
  async launchAs(role) {
    const signal = join(this.data, 'standby.signal');
    if (role === 'standby') await this.#write(signal, '');
    else await rm(signal, { force: true });
    await this.launch();
  }

  /** @param {'fast' | 'immediate'} mode */
  halt(mode = 'immediate') {
    return this.#control('stop', '-m', mode);
  }

  /** Moves the databases of the stopped server of Debian's package to a new data folder, as for a new major version. */
  async upgrade() {
    const programs = dirname(this.#programs.initdb);
    const former = this.data;
    this.data = join(this.#folder, 'upgraded');
    await this.initialize();
    const folders = ['--old-datadir', former, '--new-datadir', this.data, '--socketdir', this.#folder];
    const options = ['--old-bindir', programs, '--new-bindir', programs, '--username', this.#superuser, '--no-sync'];
    await this.#run(join(programs, 'pg_upgrade'), [...folders, ...options]);
  }

  promote() {
    return this.#control('promote');
  }

  /** Stops the server, and removes its folder. */
  async stop() {
    await this.halt().catch(() => null);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Copies the data folder of the stopped server. @returns {Promise<string>} the path of the copy. */
  async copy() {
    const path = join(this.#folder, `copy-${++this.#copies}`);
    await promisify(execFile)('cp', ['-a', this.data, path]);
    return path;
  }

  /** A stopped server on a copy of the data folder of this one, which receives the log of this one when it is launched. */
  async standby() {
    const other = new Postgres(this.#programs, this.#account, this.#folder, await freePort(), this.#password);
    other.data = await this.copy();
    const source = `host=127.0.0.1 port=${this.port} user=${this.#superuser}`;
    const settings = `primary_conninfo = '${source}'\nwal_retrieve_retry_interval = 200ms\n`;
    await writeFile(join(other.data, 'postgresql.auto.conf'), settings);
    return other;
  }

  /** The ID of the process that listens. */
  async pid() {
    return Number((await readFile(join(this.data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  }

  async #write(path, text) {
    await writeFile(path, text);
    await this.#account.own(path);
  }

  #control(action, ...args) {
    return this.#run(this.#programs.pg_ctl, ['-D', this.data, action, '-w', ...args]);
  }

  async #run(program, args) {
    const { code, output } = await this.#account.run(program, args, this.#folder);
    if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${output}`);
  }
}
