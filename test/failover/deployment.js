import { readFile } from 'node:fs/promises';
import { freePorts } from './free-ports.js';

const FILES = new URL('../../deploy/patroni/', import.meta.url);

/** The hosts of the files. The test runs the first of the three members of etcd. */
const [ETCD, ...OTHER_ETCD] = [21, 22, 23];
export const MEMBERS = [11, 12, 13];

/**
 * The files of `deploy/patroni/` with the addresses 192.0.2.N replaced by 127.0.0.N, and with free ports, so that the
 * test runs what an operator copies.
 */
export class Deployment {
  static async create(folder) {
    const [postgres, rest, etcd, etcdPeer, primary, replicas] = await freePorts(6);
    return new Deployment(folder, { postgres, rest, etcd, etcdPeer, primary, replicas });
  }

  constructor(folder, ports) {
    this.folder = folder;
    this.ports = ports;
  }

  /** The variables of the only member of etcd. */
  async etcd() {
    const text = this.moved(await read('etcd.env'))
      .replaceAll('/var/lib/etcd', this.folder)
      .replace(/^(ETCD_INITIAL_CLUSTER=[^,]*).*$/m, '$1');
    return Object.fromEntries([...text.matchAll(/^(ETCD_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  }

  /** The file of the member on host 192.0.2.N. */
  async patroni(host, name, folder) {
    let text = await read('patroni.yml');
    for (const other of OTHER_ETCD) text = text.replace(`    - 192.0.2.${other}:2379\n`, '');
    text = text.replaceAll(`192.0.2.${MEMBERS[0]}`, `192.0.2.${host}`).replace(/^name: \S+/m, `name: ${name}`);
    return this.moved(text).replaceAll('/var/lib/postgresql', folder).replaceAll('/var/run/postgresql', folder);
  }

  async haproxy() {
    return this.moved(await read('haproxy.cfg'));
  }

  /** @returns the text with addresses and ports of this machine. @throws when an address of the files is left. */
  moved(text) {
    const { ports } = this;
    const moved = text
      .replaceAll('192.0.2.0/24', '127.0.0.0/8')
      .replaceAll('192.0.2.', '127.0.0.')
      .replaceAll(':2379', `:${ports.etcd}`)
      .replaceAll(':2380', `:${ports.etcdPeer}`)
      .replaceAll(':5432', `:${ports.postgres}`)
      .replaceAll(/(:|check port )8008\b/g, `$1${ports.rest}`)
      .replaceAll('127.0.0.1:5000', `127.0.0.1:${ports.primary}`)
      .replaceAll('127.0.0.1:5001', `127.0.0.1:${ports.replicas}`);
    if (/192\.0\.2\.|\b(2379|2380|5432|8008|5000|5001)\b/.test(moved)) throw new Error(`not replaced in:\n${moved}`);
    return moved;
  }

  get etcdUrl() {
    return `http://127.0.0.${ETCD}:${this.ports.etcd}`;
  }
}

/** A file without its comments. */
async function read(name) {
  return (await readFile(new URL(name, FILES), 'utf8')).replaceAll(/(^| )#.*$/gm, '');
}
